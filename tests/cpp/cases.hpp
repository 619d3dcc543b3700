/* What the programs share that run test vectors through the C++ headers: what the typed getters say
 * is what is compared. */
#ifndef TESTS_CPP_CASES_HPP
#define TESTS_CPP_CASES_HPP

#include <signdoc.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

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

/* A text of a case, with the sandbox's addresses for the words that stand for them. */
inline std::string with_addresses(std::string text, const sandbox &server) {
    const std::pair<const char *, const char *> words[] = {
        {"$ISSUER", server.issuer},
        {"$REALM", std::strstr(server.issuer + std::strlen("http://"), "/")},
        {"$BASE_URL", server.base_url},
        {"$ORDERS_URL", server.orders_url},
    };
    for (const auto &word : words) {
        for (std::size_t found; (found = text.find(word.first)) != std::string::npos;) {
            text.replace(found, std::strlen(word.first), word.second);
        }
    }
    return text;
}

/* Has the sandbox told something; nothing where there is nothing to tell. */
inline void tell(const sandbox &server, const char *path, const cJSON *what) {
    if (what != nullptr) {
        std::string body = with_addresses(shown(what), server);
        Text(sandbox_control(&server, "POST", path, body.c_str()));
    }
}

/* The sandbox of a case, set up as the case wants it. */
inline sandbox sandbox_for(const cJSON *spec) {
    std::string environment = text_at(spec, "environment");
    sandbox server = sandbox_of(environment.empty() ? "production" : environment.c_str());
    tell(server, "/_sandbox/variants", at(spec, "variants"));
    tell(server, "/_sandbox/faults", at(spec, "faults"));
    return server;
}

/* What came back from a login, as the case has it: each parameter may come twice. */
inline std::string came_back(const std::string &callback, const cJSON *spec) {
    std::size_t query = callback.find('?');
    bool is_twice = text_at(spec, "callback") == "twice" && query != std::string::npos;
    return is_twice ? callback + "&" + callback.substr(query + 1) : callback;
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

/* The documents of the last such request, as far as the case names them. */
inline void check_sent_documents(const cJSON *expect, const cJSON *seen, const std::string &request) {
    const cJSON *sent = nullptr;
    const cJSON *one;
    cJSON_ArrayForEach(one, seen) { sent = request_of(one) == request ? at(one, "body") : sent; }
    int position = 0;
    cJSON_ArrayForEach(one, at(expect, "sent_documents")) {
        check_each(one, cJSON_GetArrayItem(at(sent, "documents"), position++));
    }
}

inline signdoc::Options options(const sandbox &server, const cJSON *spec) {
    signdoc::Options options;
    options.set("issuer", server.issuer)
        .set("client_id", server.client_id)
        .set("client_secret", server.client_secret)
        .set("csc_url", server.csc_url);
    const cJSON *option;
    cJSON_ArrayForEach(option, at(spec, "options")) {
        options.set(option->string, with_addresses(cJSON_GetStringValue(option), server));
    }
    return options;
}

/* Runs the cases of a set from the files that are named: those of its own file, and of open.json
 * those that are like it. The exit status of the program. */
inline int run_all(int argc, char **argv, const char *set, void (*run)(const cJSON *spec)) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CASES...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        if (std::strstr(argv[i], ".json") == nullptr) {
            continue;
        }
        std::size_t size = 0;
        Text text(read_file(argv[i], &size));
        Json file(cJSON_ParseWithLength(text.get(), size));
        CHECK(at(file.get(), "cases") != nullptr);
        const cJSON *spec;
        cJSON_ArrayForEach(spec, at(file.get(), "cases")) {
            std::string id = text_at(spec, "id");
            std::string like = text_at(spec, "like");
            if (!like.empty() && like != set) {
                continue;
            }
            test(id.c_str());
            std::printf("vector %s/%s\n", like.empty() ? set : "open", id.c_str());
            if (text_at(spec, "needs") == "converter" && !has_converter()) {
                left_out(id.c_str(), "the sandbox has no converter");
            } else {
                run(spec);
            }
        }
    }
    return tests_end();
}

} // namespace cases

#endif
