/* The cases of tests/vectors/conversion.json through the C++ headers. */
#include "cases.hpp"

#include <deque>

namespace {

using namespace cases;

Json as_json(const signdoc::Result &result) {
    std::string bytes = result.data().str();
    if (!result.path().empty()) {
        std::size_t size = 0;
        Text read(read_file(result.path().c_str(), &size));
        bytes.assign(read.get(), size);
    }
    Json told(cJSON_CreateObject());
    cJSON_AddBoolToObject(told.get(), "converted", result.converted());
    cJSON_AddBoolToObject(told.get(), "bytes", bytes.compare(0, 5, "%PDF-") == 0);
    cJSON_AddItemToObject(told.get(), "warnings", names(result.warnings()).release());
    cJSON_AddItemToObject(told.get(), "errors", names(result.errors()).release());
    return told;
}

class Case {
public:
    explicit Case(const cJSON *spec)
        : spec_(spec), expect_(at(spec, "expect")), folder_(taken(new_folder())) {}

    void run() {
        server_ = sandbox_for(spec_);
        try {
            call();
            check_success(expect_);
        } catch (const signdoc::Error &error) {
            check_error(expect_, error);
            check(error.results());
        }
        Json seen = requests(server_);
        check_requests(at(expect_, "requests"), seen.get(), "/signdoc/");
        check_sent_documents(expect_, seen.get(), "POST " PATH_CONVERT);
    }

private:
    void add_document(signdoc::Documents &to, const cJSON *spec) {
        if (at(spec, "bytes") == nullptr) {
            std::string name = text_at(spec, "path");
            to.add_path(name.empty() ? taken(sample(text_at(spec, "sample").c_str()))
                                     : folder_ + "/" + name);
            return;
        }
        kept_.push_back(text_at(spec, "bytes"));
        if (at(spec, "size") != nullptr) {
            kept_.back().resize(static_cast<std::size_t>(number_at(spec, "size", 0)), ' ');
        }
        to.add_bytes(kept_.back().data(), kept_.back().size());
    }

    signdoc::Documents documents() {
        signdoc::Documents made;
        const cJSON *list = at(spec_, "documents");
        const cJSON *one;
        int count = number_at(spec_, "count", 0);
        for (int i = 0; i < count; i++) {
            add_document(made, list->child);
        }
        if (count == 0) {
            cJSON_ArrayForEach(one, list) { add_document(made, one); }
        }
        for (std::size_t i = 0; at(spec_, "pdf_spec") != nullptr && i < made.size(); i++) {
            made.set(i, "pdf_spec", text_at(spec_, "pdf_spec"));
        }
        if (cJSON_IsTrue(at(spec_, "allow_signed"))) {
            for (std::size_t i = 0; i < made.size(); i++) {
                made.allow_signed(i);
            }
        }
        return made;
    }

    void call() {
        signdoc::Client client(options(server_, spec_));
        std::string what = text_at(spec_, "call");
        if (what == "specs") {
            check_specs(client.conversion_specs());
            return;
        }
        signdoc::ConvertOptions how;
        how.strict(!cJSON_IsFalse(at(spec_, "strict")));
        std::string to = at(spec_, "to") == nullptr ? "" : folder_ + "/out";
        signdoc::Documents all = documents();
        check(what == "convert_many" ? client.convert_many(all, to, how)
                                     : client.convert(all, to, how));
    }

    void check(const signdoc::Results &results) const {
        const cJSON *wanted = at(expect_, "results");
        if (wanted == nullptr) {
            return;
        }
        CHECK_INT(results.size(), cJSON_GetArraySize(wanted));
        for (const signdoc::Result result : results) {
            const cJSON *one = cJSON_GetArrayItem(wanted, static_cast<int>(result.index()));
            check_each(one, as_json(result).get());
        }
    }

    void check_specs(const std::vector<std::string> &specs) const {
        Json told(cJSON_CreateArray());
        for (const std::string &spec : specs) {
            cJSON_AddItemToArray(told.get(), cJSON_CreateString(spec.c_str()));
        }
        check_same("specs", at(expect_, "specs"), told.get());
    }

    const cJSON *spec_;
    const cJSON *expect_;
    std::string folder_;
    sandbox server_ = {};
    /* Where their bytes stay while the documents are there. */
    std::deque<std::string> kept_;
};

} // namespace

int main(int argc, char **argv) {
    return run_all(argc, argv, "conversion", [](const cJSON *spec) { Case(spec).run(); });
}
