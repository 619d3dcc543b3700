/* What the programs share that run test vectors through the C interface. */
#ifndef TESTS_C_CASES_H
#define TESTS_C_CASES_H

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

static inline const cJSON *at(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static inline const char *text_at(const cJSON *object, const char *key) {
    return cJSON_GetStringValue(at(object, key));
}

static inline int number_at(const cJSON *object, const char *key, int otherwise) {
    const cJSON *found = at(object, key);
    return found == NULL ? otherwise : found->valueint;
}

static inline int is(const cJSON *object, const char *key, const char *wanted) {
    const char *text = text_at(object, key);
    return text != NULL && strcmp(text, wanted) == 0;
}

/* The text, which is freed, with another one for each `word`; to be freed. */
static inline char *replaced(char *text, const char *word, const char *by) {
    char *found;
    while ((found = strstr(text, word)) != NULL) {
        size_t size = strlen(text) + strlen(by) + 1;
        char *longer = malloc(size);
        snprintf(longer, size, "%.*s%s%s", (int)(found - text), text, by, found + strlen(word));
        free(text);
        text = longer;
    }
    return text;
}

/* The same for every address of the sandbox that cases name; to be freed. */
static inline char *with_addresses(char *text, const struct sandbox *sandbox) {
    const char *realm = strstr(sandbox->issuer + strlen("http://"), "/");
    text = replaced(text, "$ISSUER", sandbox->issuer);
    text = replaced(text, "$REALM", realm);
    text = replaced(text, "$BASE_URL", sandbox->base_url);
    return replaced(text, "$ORDERS_URL", sandbox->orders_url);
}

/* What came back from a login, as the case has it: "callback": "twice" says that each parameter comes
 * twice. To be freed. */
static inline char *came_back(char *callback, const cJSON *spec) {
    const char *query = strchr(callback, '?');
    if (query == NULL || !is(spec, "callback", "twice")) {
        return callback;
    }
    size_t size = strlen(callback) + strlen(query) + 1;
    char *twice = malloc(size);
    snprintf(twice, size, "%s&%s", callback, query + 1);
    free(callback);
    return twice;
}

/* Tells the sandbox something of a case, where it has that. */
static inline void tell(const struct sandbox *sandbox, const char *path, const cJSON *what) {
    if (what != NULL) {
        char *body = with_addresses(cJSON_PrintUnformatted(what), sandbox);
        free(sandbox_control(sandbox, "POST", path, body));
        free(body);
    }
}

/* The sandbox of a case, set up as the case wants it. */
static inline struct sandbox sandbox_for(const cJSON *spec) {
    const char *environment = text_at(spec, "environment");
    struct sandbox sandbox = sandbox_of(environment == NULL ? "production" : environment);
    tell(&sandbox, "/_sandbox/variants", at(spec, "variants"));
    tell(&sandbox, "/_sandbox/faults", at(spec, "faults"));
    return sandbox;
}

/* Sets the options of a case; the code of the first that is refused. */
static inline int32_t set_options(signdoc_options *options, const cJSON *spec,
                                  const struct sandbox *sandbox, signdoc_error **error) {
    const cJSON *option;
    int32_t code = SIGNDOC_OK;
    cJSON_ArrayForEach(option, at(spec, "options")) {
        if (code == SIGNDOC_OK) {
            char *given = cJSON_GetStringValue(option);
            char *value = malloc(strlen(given) + 1);
            strcpy(value, given);
            value = with_addresses(value, sandbox);
            code = signdoc_options_set(options, option->string, value, error);
            free(value);
        }
    }
    return code;
}

/* Every key that is wanted is there and equal; what is missing is null. */
static inline void check_fields(const cJSON *wanted, const cJSON *found) {
    const cJSON *field;
    cJSON_ArrayForEach(field, wanted) {
        const cJSON *value = at(found, field->string);
        int same = value == NULL ? cJSON_IsNull(field) : cJSON_Compare(value, field, 1);
        if (!same) {
            char *shown = cJSON_PrintUnformatted(found);
            printf("%s of %s\n", field->string, shown);
            free(shown);
        }
        CHECK(same);
    }
}

/* The documents of the last request to `path`, as far as the case names them. */
static inline void check_sent_documents(const cJSON *expect, const struct sandbox *sandbox,
                                        const char *path) {
    const cJSON *one;
    const cJSON *sent = NULL;
    const cJSON *wanted = at(expect, "sent_documents");
    int position = 0;
    if (wanted == NULL) {
        return;
    }
    char *text = sandbox_control(sandbox, "GET", "/_sandbox/requests", "");
    cJSON *told = cJSON_Parse(text);
    cJSON_ArrayForEach(one, at(told, "requests")) {
        if (is(one, "method", "POST") && is(one, "path", path)) {
            sent = at(one, "body");
        }
    }
    cJSON_ArrayForEach(one, wanted) {
        check_fields(one, cJSON_GetArrayItem(at(sent, "documents"), position++));
    }
    cJSON_Delete(told);
    free(text);
}

/* Runs the cases of a set from the files that are named: those of its own file, and of open.json
 * those that are like it. The exit status of the program. */
static inline int cases_run(int argc, char **argv, const char *set, void (*run)(const cJSON *spec)) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s CASES...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        size_t size;
        const cJSON *spec;
        char *text = read_file(argv[i], &size);
        cJSON *file = cJSON_ParseWithLength(text, size);
        CHECK(at(file, "cases") != NULL);
        cJSON_ArrayForEach(spec, at(file, "cases")) {
            const char *id = text_at(spec, "id");
            const char *like = text_at(spec, "like");
            if (like != NULL && strcmp(like, set) != 0) {
                continue;
            }
            test(id);
            printf("vector %s/%s\n", like == NULL ? set : "open", id);
            if (is(spec, "needs", "converter") && !has_converter()) {
                left_out(id, "the sandbox has no converter");
            } else {
                run(spec);
            }
        }
        cJSON_Delete(file);
        free(text);
    }
    CHECK_INT(signdoc_stopped_panics(), 0);
    return tests_end();
}

#endif
