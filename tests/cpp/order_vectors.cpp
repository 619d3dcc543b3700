/* The cases of tests/vectors/orders.json through the C++ headers. */
#include "cases.hpp"

#include <deque>

namespace {

using namespace cases;

/* As the setters take a value. */
std::string value_of(const cJSON *json) {
    if (cJSON_IsString(json)) {
        return cJSON_GetStringValue(json);
    }
    if (!cJSON_IsArray(json)) {
        return shown(json);
    }
    std::string list;
    const cJSON *one;
    cJSON_ArrayForEach(one, json) { list += (list.empty() ? "" : ",") + value_of(one); }
    return list;
}

class Case {
public:
    explicit Case(const cJSON *spec)
        : spec_(spec), expect_(at(spec, "expect")), server_(sandbox_for(spec)),
          client_(options(server_, spec)), orders_(client_) {}

    void run() {
        try {
            create();
            go_on();
            check_success(expect_);
        } catch (const signdoc::Error &error) {
            check_error(expect_, error);
            if (!order_) {
                check_conversions(error.results());
            }
            check_download(error.download());
            check_kept(error);
        }
        if (order_) {
            check_conversions(order_->conversions());
        }
        CHECK_TEXT(state_.c_str(), text_at(expect_, "state").c_str());
        CHECK_INT(has_identity_, cJSON_IsTrue(at(expect_, "identity")));
        check_requests();
    }

private:
    void set_seal(std::size_t index, std::int32_t whose, const cJSON *seal) {
        if (seal != nullptr) {
            documents_.seal(index, whose, at(seal, "x")->valuedouble, at(seal, "y")->valuedouble,
                            number_at(seal, "page", 0));
        }
    }

    void add_document(const cJSON *spec) {
        std::size_t index = documents_.size();
        if (at(spec, "sample") != nullptr) {
            documents_.add_path(taken(sample(text_at(spec, "sample").c_str())));
        } else if (at(spec, "bytes") != nullptr) {
            kept_.push_back(text_at(spec, "bytes"));
            documents_.add_bytes(kept_.back().data(), kept_.back().size());
        } else {
            documents_.add_empty();
        }
        for (const char *key :
             {"text", "xml", "xls", "description", "pdf_spec", "end_user_only"}) {
            if (at(spec, key) != nullptr) {
                documents_.set(index, key, value_of(at(spec, key)));
            }
        }
        set_seal(index, SIGNDOC_SEAL_MERCHANT, at(spec, "merchant_seal"));
        set_seal(index, SIGNDOC_SEAL_END_USER, at(spec, "end_user_seal"));
    }

    std::int32_t kind() const {
        return text_at(spec_, "kind") == "sdo" ? SIGNDOC_ORDER_SDO : SIGNDOC_ORDER_PADES;
    }

    void create() {
        signdoc::OrderRequest request(text_at(at(spec_, "order"), "name"));
        const cJSON *one;
        cJSON_ArrayForEach(one, at(spec_, "order")) {
            std::string key = one->string;
            if (key != "documents" && key != "name") {
                request.set(key, value_of(one));
            }
        }
        cJSON_ArrayForEach(one, at(at(spec_, "order"), "documents")) { add_document(one); }
        order_.reset(new signdoc::Order(orders_.create(kind(), request, documents_)));
    }

    void go_on() {
        if (at(spec_, "user") != nullptr) {
            std::string path =
                "/_sandbox/orders/" + order_->sign_id() + "/" + text_at(spec_, "user");
            Text(sandbox_control(&server_, "POST", path.c_str(), ""));
        }
        if (int seconds = number_at(spec_, "advance", 0)) {
            std::string body = "{\"advance_seconds\":" + std::to_string(seconds) + "}";
            Text(sandbox_control(&server_, "POST", "/_sandbox/clock", body.c_str()));
            client_.set_clock_offset(std::chrono::seconds(seconds));
        }
        std::string then = text_at(spec_, "then");
        if (at(spec_, "by") == nullptr) {
            take(then, *order_);
        } else {
            take(then, signdoc::Order::of(kind(), order_->sign_id()));
        }
    }

    void take(const std::string &then, const signdoc::Order &order) {
        if (then == "state") {
            state_ = orders_.state(order).text;
        } else if (then == "wait") {
            const cJSON *until = at(spec_, "until");
            state_ = orders_.wait(order, until == nullptr ? "" : value_of(until)).text;
        } else if (then == "download") {
            std::string to = cJSON_IsTrue(at(spec_, "memory")) ? "" : taken(new_folder());
            std::uint32_t flags = cJSON_IsTrue(at(spec_, "force")) ? SIGNDOC_DOWNLOAD_FORCE : 0;
            check_download(orders_.download(order, to, signdoc::CallSettings(), flags));
        } else if (then == "discard") {
            check_download(orders_.discard(order));
        } else if (then == "login") {
            log_in(order);
        } else {
            CHECK(then.empty());
        }
    }

    void log_in(const signdoc::Order &order) {
        signdoc::Logins logins(client_);
        signdoc::Login login = logins.begin(order, text_at(spec_, "redirect_uri"));
        std::string callback = taken(
            sandbox_visit(&server_, login.url.c_str(), text_at(spec_, "action").c_str()));
        callback = came_back(callback, spec_);
        signdoc::Identity identity = logins.finish(login.token, callback);
        CHECK_TEXT(identity.sign_id.c_str(), order.sign_id().c_str());
        CHECK(!identity.subject.empty());
        has_identity_ = true;
    }

    void check_conversions(const signdoc::Results &results) const {
        const cJSON *wanted = at(expect_, "conversions");
        if (wanted == nullptr) {
            return;
        }
        CHECK_INT(results.size(), cJSON_GetArraySize(wanted));
        int position = 0;
        for (const signdoc::Result result : results) {
            Json told(cJSON_CreateObject());
            add(told, "index", static_cast<double>(result.index()), true);
            cJSON_AddBoolToObject(told.get(), "converted", result.converted());
            cJSON_AddItemToObject(told.get(), "errors", names(result.errors()).release());
            check_each(cJSON_GetArrayItem(wanted, position++), told.get());
        }
    }

    void check_download(const signdoc::Download &download) const {
        if (at(expect_, "order_name") != nullptr) {
            CHECK_TEXT(download.order_name().c_str(), text_at(expect_, "order_name").c_str());
            CHECK_TEXT(download.order_state().c_str(), text_at(expect_, "order_state").c_str());
        }
        const cJSON *wanted = at(expect_, "documents");
        if (wanted == nullptr) {
            return;
        }
        CHECK_INT(download.size(), cJSON_GetArraySize(wanted));
        Json told(cJSON_Parse(download.json().c_str()));
        const cJSON *one;
        int position = 0;
        cJSON_ArrayForEach(one, wanted) {
            check_each(one, cJSON_GetArrayItem(at(told.get(), "documents"), position++));
        }
    }

    /* What a failure has kept: the order, and the answer that could not be taken apart. */
    void check_kept(const signdoc::Error &error) const {
        if (const cJSON *wanted = at(expect_, "error_order")) {
            signdoc::Order order = error.order();
            CHECK_INT(static_cast<bool>(order), cJSON_IsTrue(wanted));
            CHECK(!order || !order.sign_id().empty());
        }
        if (const cJSON *wanted = at(expect_, "raw_answer")) {
            Json details(cJSON_Parse(error.details_json().c_str()));
            std::string path = text_at(details.get(), "raw_answer");
            bool is_kept = error.raw_answer().size > 0 || (!path.empty() && file_exists(path.c_str()));
            CHECK_INT(is_kept, cJSON_IsTrue(wanted));
        }
    }

    /* The request that created the order, and how many requests of each kind there were. */
    void check_requests() const {
        Json seen = requests(server_);
        cases::check_requests(at(expect_, "requests"), seen.get(), "/signdoc");
        std::string creation = kind() == SIGNDOC_ORDER_SDO ? "POST /signdoc" : "POST /signdoc/pades";
        const cJSON *sent = nullptr;
        const cJSON *one;
        cJSON_ArrayForEach(one, seen.get()) {
            sent = request_of(one) == creation ? at(one, "body") : sent;
        }
        check_sent_documents(expect_, seen.get(), creation);
        if (const cJSON *wanted = at(expect_, "sent")) {
            Json whole(cJSON_Duplicate(sent, 1));
            cJSON_DeleteItemFromObjectCaseSensitive(whole.get(), "documents");
            check_same("sent", wanted, whole.get());
        }
    }

    const cJSON *spec_;
    const cJSON *expect_;
    sandbox server_;
    signdoc::Client client_;
    signdoc::Orders orders_;
    /* Where their bytes stay while the documents are there. */
    std::deque<std::string> kept_;
    signdoc::Documents documents_;
    std::unique_ptr<signdoc::Order> order_;
    std::string state_;
    bool has_identity_ = false;
};

} // namespace

int main(int argc, char **argv) {
    return run_all(argc, argv, "orders", [](const cJSON *spec) { Case(spec).run(); });
}
