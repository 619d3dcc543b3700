/* What the programs share that run test vectors through the C++ headers: what the typed getters say
 * is what is compared. */
#ifndef TESTS_CPP_CASES_HPP
#define TESTS_CPP_CASES_HPP

#include <signdoc.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <cjson/cJSON.h>

extern "C" {
#include "../c/harness.h"
}

namespace cases {

struct Free {
    void operator()(cJSON *json) const noexcept { cJSON_Delete(json); }
    void operator()(char *text) const noexcept { std::free(text); }
};
using Json = std::unique_ptr<cJSON, Free>;
using Text = std::unique_ptr<char, Free>;

inline std::string taken(char *text) { return Text(text).get(); }

inline std::string shown(const cJSON *json) {
    return json == nullptr ? "nothing" : taken(cJSON_PrintUnformatted(json));
}

inline const cJSON *at(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

inline std::string text_at(const cJSON *object, const char *key) {
    const char *found = cJSON_GetStringValue(at(object, key));
    return found == nullptr ? "" : found;
}

inline int number_at(const cJSON *object, const char *key, int otherwise) {
    const cJSON *found = at(object, key);
    return found == nullptr ? otherwise : found->valueint;
}

/* Numbers may differ in their last bits; what is missing is null. */
inline bool same(const cJSON *wanted, const cJSON *actual) {
    if (cJSON_IsNumber(wanted) && cJSON_IsNumber(actual)) {
        return std::fabs(wanted->valuedouble - actual->valuedouble) < 1e-9;
    }
    return actual == nullptr ? cJSON_IsNull(wanted) : cJSON_Compare(wanted, actual, 1) != 0;
}

inline void add(const Json &to, const char *key, const std::string &text) {
    cJSON_AddItemToObject(to.get(), key,
                          text.empty() ? cJSON_CreateNull() : cJSON_CreateString(text.c_str()));
}

inline void add(const Json &to, const char *key, double number, bool is_there) {
    cJSON_AddItemToObject(to.get(), key, is_there ? cJSON_CreateNumber(number) : cJSON_CreateNull());
}

inline void failed(const char *what, const cJSON *wanted, const std::string &actual) {
    std::printf("%s: wanted %s, got %s\n", what, shown(wanted).c_str(), actual.c_str());
    CHECK(!"the case came out otherwise");
}

inline void check_same(const char *what, const cJSON *wanted, const cJSON *actual) {
    CHECK(1);
    if (!same(wanted, actual)) {
        failed(what, wanted, shown(actual));
    }
}

/* Every key that is given must be equal. */
inline void check_each(const cJSON *wanted, const cJSON *actual) {
    const cJSON *one;
    cJSON_ArrayForEach(one, wanted) {
        CHECK(1);
        if (!same(one, at(actual, one->string))) {
            failed(one->string, one, shown(actual));
        }
    }
}

inline Json as_json(const signdoc::Error &error) {
    Json told(cJSON_CreateObject());
    add(told, "code", error.code(), true);
    add(told, "name", error.name());
    add(told, "origin", error.origin());
    add(told, "category", error.category());
    add(told, "reference", error.reference());
    add(told, "http_status", error.http_status(), error.http_status() != 0);
    cJSON_AddBoolToObject(told.get(), "retryable", error.retryable());
    double after = static_cast<double>(error.retry_after().count());
    add(told, "retry_after", after / 1000, after >= 0);
    /* C++ has one class of errors; that of other languages stands in the JSON view. */
    Json all(cJSON_Parse(error.json().c_str()));
    add(told, "class", text_at(all.get(), "class"));
    return told;
}

inline Json names(const std::vector<signdoc::Remark> &remarks) {
    Json list(cJSON_CreateArray());
    for (const signdoc::Remark &remark : remarks) {
        cJSON_AddItemToArray(list.get(), cJSON_CreateString(remark.name.c_str()));
    }
    return list;
}

/* The error is the one that is expected. */
inline void check_error(const cJSON *expect, const signdoc::Error &error) {
    const cJSON *wanted = at(expect, "error");
    if (wanted == nullptr) {
        failed("error", nullptr, error.json());
        return;
    }
    Json details(cJSON_Parse(error.details_json().c_str()));
    check_each(wanted, as_json(error).get());
    check_each(at(expect, "details"), details.get());
    const cJSON *part;
    cJSON_ArrayForEach(part, at(expect, "message")) {
        CHECK_HAS(error.what(), cJSON_GetStringValue(part));
    }
    CHECK_TEXT(error.what(), error.message().c_str());
    CHECK(!error.advice().empty() && !error.constant().empty());
}

/* No error came, which must be right. */
inline void check_success(const cJSON *expect) {
    if (at(expect, "error") != nullptr) {
        failed("error", at(expect, "error"), "success");
    }
}

/* Has the sandbox told something; nothing where there is nothing to tell. */
inline void tell(const sandbox &server, const char *path, const cJSON *what,
                 const std::string &word = "", const std::string &by = "") {
    if (what == nullptr) {
        return;
    }
    std::string body = shown(what);
    for (std::size_t found; !word.empty() && (found = body.find(word)) != std::string::npos;) {
        body.replace(found, word.size(), by);
    }
    Text(sandbox_control(&server, "POST", path, body.c_str()));
}

/* The requests that the sandbox has seen, with their bodies. */
inline Json requests(const sandbox &server) {
    Json seen(cJSON_Parse(taken(sandbox_control(&server, "GET", "/_sandbox/requests", "")).c_str()));
    return Json(cJSON_DetachItemFromObjectCaseSensitive(seen.get(), "requests"));
}

inline std::string request_of(const cJSON *seen) {
    return text_at(seen, "method") + " " + text_at(seen, "path");
}

/* As many requests as are wanted, of those that are named or whose path begins with `prefix`; also
 * none of those that are wanted 0 times. */
inline void check_requests(const cJSON *wanted, const cJSON *seen, const std::string &prefix) {
    if (wanted == nullptr) {
        return;
    }
    Json counted(cJSON_CreateObject());
    auto count = [&counted](const char *request, int more) {
        int before = number_at(counted.get(), request, 0);
        cJSON_DeleteItemFromObjectCaseSensitive(counted.get(), request);
        cJSON_AddNumberToObject(counted.get(), request, before + more);
    };
    const cJSON *one;
    cJSON_ArrayForEach(one, wanted) { count(one->string, 0); }
    cJSON_ArrayForEach(one, seen) {
        std::string request = request_of(one);
        bool is_meant = text_at(one, "path").compare(0, prefix.size(), prefix) == 0;
        if (is_meant || at(wanted, request.c_str()) != nullptr) {
            count(request.c_str(), 1);
        }
    }
    check_same("requests", wanted, counted.get());
}

inline signdoc::Options options(const sandbox &server) {
    signdoc::Options options;
    options.set("issuer", server.issuer)
        .set("client_id", server.client_id)
        .set("client_secret", server.client_secret);
    return options;
}

/* Runs every case of a file; the exit status of the program. */
inline int run_all(int argc, char **argv, const char *set, void (*run)(const cJSON *spec)) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CASES\n", argv[0]);
        return 2;
    }
    std::size_t size = 0;
    Text text(read_file(argv[1], &size));
    Json file(cJSON_ParseWithLength(text.get(), size));
    CHECK(at(file.get(), "cases") != nullptr);
    const cJSON *spec;
    cJSON_ArrayForEach(spec, at(file.get(), "cases")) {
        std::string id = text_at(spec, "id");
        test(id.c_str());
        std::printf("vector %s/%s\n", set, id.c_str());
        if (text_at(spec, "needs") == "converter" && !has_converter()) {
            left_out(id.c_str(), "the sandbox has no converter");
        } else {
            run(spec);
        }
    }
    return tests_end();
}

} // namespace cases

#endif
