/* The cases of tests/vectors/csc.json through the C++ headers. */
#include "cases.hpp"

namespace {

using namespace cases;

class Case {
public:
    explicit Case(const cJSON *spec)
        : spec_(spec), server_(sandbox_for(spec)), client_(given(spec, server_)), csc_(client_) {}

    void run() {
        check(spec_);
        if (const cJSON *then = at(spec_, "then")) {
            check(then);
        }
    }

private:
    static signdoc::Options given(const cJSON *spec, const sandbox &server) {
        signdoc::Options given = options(server, spec);
        if (at(at(spec, "options"), "max_retries") == nullptr) {
            given.set("max_retries", "0");
        }
        return given;
    }

    void log_in() {
        std::string action = text_at(spec_, "action");
        signdoc::Login login = csc_.begin("https://shop.example/callback");
        std::string callback = taken(sandbox_visit(&server_, login.url.c_str(),
                                                   action.empty() ? "sign" : action.c_str()));
        callback = came_back(callback, spec_);
        for (int i = 0; i < number_at(spec_, "finish", 1); i++) {
            session_.reset();
            session_.reset(new signdoc::CscSession(csc_.finish(login.token, callback)));
        }
    }

    /* The digests are all different; their content does not matter. */
    std::size_t sign(const cJSON *what) {
        std::string name = text_at(what, "hash_algorithm");
        int usual = name == "sha384" ? 48 : name == "sha512" ? 64 : 32;
        std::size_t length = static_cast<std::size_t>(number_at(what, "length", usual));
        std::string hashes;
        for (int i = 0; i < number_at(what, "count", 0); i++) {
            hashes.append(length, static_cast<char>(i + 1));
        }
        signdoc::CscRequest request;
        for (const char *choice : {"hash_algorithm", "credential_id", "padding", "description"}) {
            if (at(what, choice) != nullptr) {
                request.set(choice, text_at(what, choice));
            }
        }
        signdoc::CscSigned made = csc_.sign_hashes(*session_, hashes, length, request);
        for (std::size_t i = 0; i < made.size(); i++) {
            CHECK(made.data(i).size >= 64);
        }
        return made.size();
    }

    /* Takes a step, after the login where there is none yet. */
    std::size_t take(const cJSON *step) {
        if (!session_) {
            log_in();
        }
        if (at(step, "advance") != nullptr) {
            std::string change = std::to_string(number_at(step, "advance", 0));
            change = "{\"advance_seconds\":" + change + "}";
            Text(sandbox_control(&server_, "POST", "/_sandbox/clock", change.c_str()));
        }
        return at(step, "sign") == nullptr ? 0 : sign(at(step, "sign"));
    }

    void check(const cJSON *step) {
        const cJSON *expect = at(step, "expect");
        std::size_t signatures = 0;
        try {
            signatures = take(step);
            check_success(expect);
        } catch (const signdoc::Error &error) {
            check_error(expect, error);
            if (at(expect, "reference") != nullptr) {
                CHECK_INT(!error.reference().empty(), cJSON_IsTrue(at(expect, "reference")));
            }
        }
        CHECK_INT(signatures, number_at(expect, "signatures", 0));
        Json seen = requests(server_);
        Json counted(cJSON_CreateArray());
        /* What every case counts; other requests only where it names them. */
        const cJSON *one;
        cJSON_ArrayForEach(one, seen.get()) {
            std::string path = text_at(one, "path");
            bool counts = path.find("/csc/v2/credentials/") == 0 ||
                          path.find("/csc/v2/signatures/") == 0 ||
                          at(at(expect, "requests"), request_of(one).c_str()) != nullptr;
            if (counts) {
                cJSON_AddItemToArray(counted.get(), cJSON_Duplicate(one, 1));
            }
        }
        check_requests(at(expect, "requests"), counted.get(), "/");
    }

    const cJSON *spec_;
    sandbox server_;
    signdoc::Client client_;
    signdoc::Csc csc_;
    std::unique_ptr<signdoc::CscSession> session_;
};

} // namespace

int main(int argc, char **argv) {
    return cases::run_all(argc, argv, "csc", [](const cJSON *spec) { Case(spec).run(); });
}
