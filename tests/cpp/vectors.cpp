/* The cases of tests/vectors/conversion.json through the C++ headers: what the typed getters say is
 * what is compared. */
#include <signdoc.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>

#include <cjson/cJSON.h>

extern "C" {
#include "../c/harness.h"
}

namespace {

struct Free {
    void operator()(cJSON *json) const noexcept { cJSON_Delete(json); }
    void operator()(char *text) const noexcept { std::free(text); }
};
using Json = std::unique_ptr<cJSON, Free>;
using Text = std::unique_ptr<char, Free>;

std::string shown(const cJSON *json) {
    return json == nullptr ? "nothing" : Text(cJSON_PrintUnformatted(json)).get();
}

const cJSON *at(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

std::string text_at(const cJSON *object, const char *key) {
    const char *found = cJSON_GetStringValue(at(object, key));
    return found == nullptr ? "" : found;
}

/* Numbers may differ in their last bits. */
bool same(const cJSON *wanted, const cJSON *actual) {
    if (cJSON_IsNumber(wanted) && cJSON_IsNumber(actual)) {
        return std::fabs(wanted->valuedouble - actual->valuedouble) < 1e-9;
    }
    return actual == nullptr ? cJSON_IsNull(wanted) : cJSON_Compare(wanted, actual, 1) != 0;
}

void add(cJSON *to, const char *key, const std::string &text) {
    cJSON_AddItemToObject(to, key,
                          text.empty() ? cJSON_CreateNull() : cJSON_CreateString(text.c_str()));
}

void add(cJSON *to, const char *key, double number, bool is_there) {
    cJSON_AddItemToObject(to, key, is_there ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

Json as_json(const signdoc::Error &error) {
    Json told(cJSON_CreateObject());
    add(told.get(), "code", error.code(), true);
    add(told.get(), "name", error.name());
    add(told.get(), "origin", error.origin());
    add(told.get(), "category", error.category());
    add(told.get(), "reference", error.reference());
    add(told.get(), "http_status", error.http_status(), error.http_status() != 0);
    cJSON_AddBoolToObject(told.get(), "retryable", error.retryable());
    auto after = static_cast<double>(error.retry_after().count());
    add(told.get(), "retry_after", after / 1000, after >= 0);
    /* C++ has one class of errors; that of other languages stands in the JSON view. */
    Json all(cJSON_Parse(error.json().c_str()));
    add(told.get(), "class", text_at(all.get(), "class"));
    return told;
}

Json names(const std::vector<signdoc::Remark> &remarks) {
    Json list(cJSON_CreateArray());
    for (const signdoc::Remark &remark : remarks) {
        cJSON_AddItemToArray(list.get(), cJSON_CreateString(remark.name.c_str()));
    }
    return list;
}

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
        : spec_(spec), expect_(at(spec, "expect")), id_(text_at(spec, "id")),
          folder_(Text(new_folder()).get()) {}

    void run() {
        set_up();
        try {
            call();
            if (at(expect_, "error") != nullptr) {
                failed("error", at(expect_, "error"), "success");
            }
        } catch (const signdoc::Error &error) {
            check(error);
        }
        check_requests();
    }

private:
    void failed(const char *what, const cJSON *wanted, const std::string &actual) const {
        std::printf("%s: %s: wanted %s, got %s\n", id_.c_str(), what, shown(wanted).c_str(),
                    actual.c_str());
        CHECK(!"the case came out otherwise");
    }

    void set_up() {
        std::string environment = text_at(spec_, "environment");
        server_ = sandbox_of(environment.empty() ? "production" : environment.c_str());
        if (const cJSON *variants = at(spec_, "variants")) {
            Text(sandbox_control(&server_, "POST", "/_sandbox/variants", shown(variants).c_str()));
        }
        if (const cJSON *faults = at(spec_, "faults")) {
            const std::string word = "$ISSUER";
            std::string body = shown(faults);
            for (std::size_t found; (found = body.find(word)) != std::string::npos;) {
                body.replace(found, word.size(), server_.issuer);
            }
            sandbox_fault(&server_, body.c_str());
        }
    }

    signdoc::Client client() const {
        signdoc::Options options;
        options.set("issuer", server_.issuer)
            .set("client_id", server_.client_id)
            .set("client_secret", server_.client_secret);
        const cJSON *option;
        cJSON_ArrayForEach(option, at(spec_, "options")) {
            options.set(option->string, cJSON_GetStringValue(option));
        }
        return signdoc::Client(options);
    }

    void add_document(signdoc::Documents &to, const cJSON *spec) {
        if (at(spec, "bytes") == nullptr) {
            std::string name = text_at(spec, "path");
            to.add_path(name.empty() ? Text(sample(text_at(spec, "sample").c_str())).get()
                                     : folder_ + "/" + name);
            return;
        }
        kept_.push_back(text_at(spec, "bytes"));
        if (const cJSON *size = at(spec, "size")) {
            kept_.back().resize(static_cast<std::size_t>(cJSON_GetNumberValue(size)), ' ');
        }
        to.add_bytes(kept_.back().data(), kept_.back().size());
    }

    signdoc::Documents documents() {
        signdoc::Documents made;
        const cJSON *list = at(spec_, "documents");
        const cJSON *count = at(spec_, "count");
        const cJSON *one;
        for (int i = 0; count != nullptr && i < static_cast<int>(count->valuedouble); i++) {
            add_document(made, list->child);
        }
        if (count == nullptr) {
            cJSON_ArrayForEach(one, list) { add_document(made, one); }
        }
        if (cJSON_IsTrue(at(spec_, "allow_signed"))) {
            for (std::size_t i = 0; i < made.size(); i++) {
                made.allow_signed(i);
            }
        }
        return made;
    }

    void call() {
        signdoc::Client made = client();
        std::string what = text_at(spec_, "call");
        if (what == "specs") {
            check_specs(made.conversion_specs());
            return;
        }
        signdoc::ConvertOptions options;
        options.strict(!cJSON_IsFalse(at(spec_, "strict")));
        std::string to = at(spec_, "to") == nullptr ? "" : folder_ + "/out";
        signdoc::Documents given = documents();
        check(what == "convert_many" ? made.convert_many(given, to, options)
                                     : made.convert(given, to, options));
    }

    /* Every key that is given must be equal. */
    void check_each(const cJSON *wanted, const cJSON *actual) const {
        const cJSON *one;
        cJSON_ArrayForEach(one, wanted) {
            CHECK(1);
            if (!same(one, at(actual, one->string))) {
                failed(one->string, one, shown(actual));
            }
        }
    }

    void check(const signdoc::Error &error) const {
        const cJSON *wanted = at(expect_, "error");
        if (wanted == nullptr) {
            failed("error", nullptr, error.json());
            return;
        }
        Json details(cJSON_Parse(error.details_json().c_str()));
        check_each(wanted, as_json(error).get());
        check_each(at(expect_, "details"), details.get());
        const cJSON *part;
        cJSON_ArrayForEach(part, at(expect_, "message")) {
            CHECK_HAS(error.what(), cJSON_GetStringValue(part));
        }
        CHECK_TEXT(error.what(), error.message().c_str());
        CHECK(!error.advice().empty() && !error.constant().empty());
        check(error.results());
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
        CHECK(1);
        if (!same(at(expect_, "specs"), told.get())) {
            failed("specs", at(expect_, "specs"), shown(told.get()));
        }
    }

    void check_requests() const {
        const cJSON *wanted = at(expect_, "requests");
        if (wanted == nullptr) {
            return;
        }
        Text answer(sandbox_control(&server_, "GET", "/_sandbox/requests", ""));
        Json seen(cJSON_Parse(answer.get()));
        Json counted(cJSON_CreateObject());
        const cJSON *one;
        cJSON_ArrayForEach(one, at(seen.get(), "requests")) {
            std::string path = text_at(one, "path");
            std::string request = text_at(one, "method") + " " + path;
            if (at(wanted, request.c_str()) == nullptr && path.compare(0, 9, "/signdoc/") != 0) {
                continue;
            }
            const cJSON *before = at(counted.get(), request.c_str());
            double number = before == nullptr ? 1 : before->valuedouble + 1;
            cJSON_DeleteItemFromObjectCaseSensitive(counted.get(), request.c_str());
            cJSON_AddNumberToObject(counted.get(), request.c_str(), number);
        }
        CHECK(1);
        if (!same(wanted, counted.get())) {
            failed("requests", wanted, shown(counted.get()));
        }
    }

    const cJSON *spec_;
    const cJSON *expect_;
    std::string id_;
    std::string folder_;
    sandbox server_ = {};
    /* Where their bytes stay while the documents are there. */
    std::deque<std::string> kept_;
};

} // namespace

int main(int argc, char **argv) {
    std::size_t size = 0;
    Text text(read_file(argc > 1 ? argv[1] : "tests/vectors/conversion.json", &size));
    Json file(cJSON_ParseWithLength(text.get(), size));
    if (!file) {
        std::fprintf(stderr, "the vectors are no JSON\n");
        return 1;
    }
    const cJSON *spec;
    cJSON_ArrayForEach(spec, at(file.get(), "cases")) {
        std::string id = text_at(spec, "id");
        test(id.c_str());
        std::printf("vector conversion/%s\n", id.c_str());
        if (text_at(spec, "needs") == "converter" && !has_converter()) {
            left_out(id.c_str(), "the sandbox has no converter");
        } else {
            Case(spec).run();
        }
    }
    return tests_end();
}
