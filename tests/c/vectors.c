/* The cases of tests/vectors/conversion.json through the C face. */
#include "cases.h"

#include <math.h>

/* What one case needs while it runs. */
struct run {
    const cJSON *spec;
    const char *id;
    struct sandbox sandbox;
    char *folder;
    signdoc_client *client;
    signdoc_documents *documents;
    void *kept[32];
    size_t kept_count;
};

static void *keep(struct run *run, void *memory) {
    if (run->kept_count == sizeof run->kept / sizeof *run->kept) {
        fprintf(stderr, "too many documents\n");
        exit(1);
    }
    run->kept[run->kept_count++] = memory;
    return memory;
}

static void failed(const struct run *run, const char *what, const cJSON *wanted, const char *actual) {
    char *shown = wanted == NULL ? NULL : cJSON_PrintUnformatted(wanted);
    printf("%s: %s: wanted %s, got %s\n", run->id, what, shown == NULL ? "nothing" : shown, actual);
    free(shown);
    CHECK(!"the case came out otherwise");
}

static int32_t make_client(struct run *run, signdoc_error **error) {
    signdoc_options *options = sandbox_options(&run->sandbox);
    int32_t code = set_options(options, run->spec, &run->sandbox, error);
    if (code == SIGNDOC_OK) {
        code = signdoc_client_new(options, &run->client, error);
    }
    signdoc_options_free(options);
    return code;
}

static void add_document(struct run *run, const cJSON *spec) {
    signdoc_error *error = NULL;
    const char *bytes = text_at(spec, "bytes");
    if (bytes == NULL) {
        const char *name = text_at(spec, "path");
        char *path = name == NULL ? sample(text_at(spec, "sample")) : path_in(run->folder, name);
        CHECK_OK(signdoc_documents_add_path(run->documents, path, &error), &error);
        free(path);
        return;
    }
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(spec, "size");
    size_t size = given == NULL ? strlen(bytes) : (size_t)cJSON_GetNumberValue(given);
    char *memory = keep(run, malloc(size + 1));
    memset(memory, ' ', size);
    memcpy(memory, bytes, strlen(bytes));
    CHECK_OK(signdoc_documents_add_bytes(run->documents, memory, size, NULL, &error), &error);
}

static void add_documents(struct run *run) {
    const cJSON *count = cJSON_GetObjectItemCaseSensitive(run->spec, "count");
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(run->spec, "documents");
    const cJSON *spec;
    signdoc_error *error = NULL;
    run->documents = signdoc_documents_new();
    for (int i = 0; count != NULL && i < (int)cJSON_GetNumberValue(count); i++) {
        add_document(run, list->child);
    }
    if (count == NULL) {
        cJSON_ArrayForEach(spec, list) {
            add_document(run, spec);
        }
    }
    const char *pdf_spec = text_at(run->spec, "pdf_spec");
    for (size_t i = 0; pdf_spec != NULL && i < signdoc_documents_count(run->documents); i++) {
        CHECK_OK(signdoc_documents_set(run->documents, i, "pdf_spec", pdf_spec, &error), &error);
    }
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(run->spec, "allow_signed"))) {
        for (size_t i = 0; i < signdoc_documents_count(run->documents); i++) {
            CHECK_OK(signdoc_documents_set_allow_signed(run->documents, i, 1, &error), &error);
        }
    }
}

static int32_t convert(struct run *run, signdoc_results **results, signdoc_error **error) {
    signdoc_convert_options *options = signdoc_convert_options_new();
    signdoc_error *own = NULL;
    if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(run->spec, "strict"))) {
        CHECK_OK(signdoc_convert_options_set_strict(options, 0, &own), &own);
    }
    char *to = text_at(run->spec, "to") == NULL ? NULL : path_in(run->folder, "out");
    add_documents(run);
    int many = strcmp(text_at(run->spec, "call"), "convert_many") == 0;
    int32_t code = (many ? signdoc_convert_many : signdoc_convert)(run->client, run->documents, to,
                                                                   options, 0, NULL, results, error);
    signdoc_convert_options_free(options);
    free(to);
    return code;
}

/* Numbers may differ in their last bits. */
static int same(const cJSON *wanted, const cJSON *actual) {
    if (cJSON_IsNumber(wanted) && cJSON_IsNumber(actual)) {
        return fabs(wanted->valuedouble - actual->valuedouble) < 1e-9;
    }
    return actual == NULL ? cJSON_IsNull(wanted) : cJSON_Compare(wanted, actual, 1);
}

static void check_each(const struct run *run, const cJSON *wanted, const cJSON *actual,
                       const char *shown) {
    const cJSON *one;
    cJSON_ArrayForEach(one, wanted) {
        CHECK(1);
        if (!same(one, cJSON_GetObjectItemCaseSensitive(actual, one->string))) {
            failed(run, one->string, one, shown);
        }
    }
}

/* The typed getters say what the JSON view says. */
static void check_getters(const struct run *run, const signdoc_error *error, const cJSON *told) {
    const cJSON *status = cJSON_GetObjectItemCaseSensitive(told, "http_status");
    const cJSON *after = cJSON_GetObjectItemCaseSensitive(told, "retry_after");
    const char *reference = text_at(told, "reference");
    cJSON *details = cJSON_Parse(signdoc_error_details_json(error));
    CHECK_INT(signdoc_error_code(error), cJSON_GetObjectItem(told, "code")->valueint);
    CHECK_TEXT(signdoc_error_name(error), text_at(told, "name"));
    CHECK_TEXT(signdoc_error_constant(error), text_at(told, "constant"));
    CHECK_TEXT(signdoc_error_message(error), text_at(told, "message"));
    CHECK_TEXT(signdoc_error_advice(error), text_at(told, "advice"));
    CHECK_TEXT(signdoc_error_category(error), text_at(told, "category"));
    CHECK_TEXT(signdoc_error_origin(error), text_at(told, "origin"));
    CHECK_INT(signdoc_error_http_status(error), cJSON_IsNumber(status) ? status->valueint : 0);
    CHECK_INT(signdoc_error_retryable(error),
              cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(told, "retryable")));
    CHECK_INT(signdoc_error_retry_after_ms(error),
              cJSON_IsNumber(after) ? (int64_t)llround(after->valuedouble * 1000) : -1);
    CHECK((reference == NULL) == (signdoc_error_reference(error) == NULL));
    if (reference != NULL) {
        CHECK_TEXT(signdoc_error_reference(error), reference);
    }
    if (!cJSON_Compare(details, cJSON_GetObjectItemCaseSensitive(told, "details"), 1)) {
        failed(run, "details", details, signdoc_error_json(error));
    }
    cJSON_Delete(details);
}

static void check_failure(const struct run *run, const signdoc_error *error) {
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(run->spec, "expect");
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(expect, "error");
    const cJSON *part;
    const char *shown = signdoc_error_json(error);
    if (wanted == NULL) {
        failed(run, "error", NULL, shown);
        return;
    }
    cJSON *told = cJSON_Parse(shown);
    check_each(run, wanted, told, shown);
    check_each(run, cJSON_GetObjectItemCaseSensitive(expect, "details"),
               cJSON_GetObjectItemCaseSensitive(told, "details"), shown);
    cJSON_ArrayForEach(part, cJSON_GetObjectItemCaseSensitive(expect, "message")) {
        CHECK_HAS(signdoc_error_message(error), cJSON_GetStringValue(part));
    }
    check_getters(run, error, told);
    cJSON_Delete(told);
}

static int begins_like_a_pdf(const signdoc_results *results, size_t index) {
    signdoc_view data = signdoc_results_data(results, index);
    const char *path = signdoc_results_path(results, index);
    if (path == NULL) {
        return data.len >= 5 && memcmp(data.ptr, "%PDF-", 5) == 0;
    }
    size_t size;
    char *bytes = read_file(path, &size);
    int good = size >= 5 && memcmp(bytes, "%PDF-", 5) == 0;
    free(bytes);
    return good;
}

static cJSON *names(const signdoc_results *results, size_t index, size_t count,
                    const char *(*name)(const signdoc_results *, size_t, size_t)) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON_AddItemToArray(list, cJSON_CreateString(name(results, index, i)));
    }
    return list;
}

static cJSON *as_json(const signdoc_results *results, size_t index) {
    cJSON *told = cJSON_CreateObject();
    size_t warnings = signdoc_results_warning_count(results, index);
    size_t errors = signdoc_results_error_count(results, index);
    cJSON_AddBoolToObject(told, "converted", signdoc_results_converted(results, index));
    cJSON_AddBoolToObject(told, "bytes", begins_like_a_pdf(results, index));
    cJSON_AddItemToObject(told, "warnings",
                          names(results, index, warnings, signdoc_results_warning_name));
    cJSON_AddItemToObject(told, "errors",
                          names(results, index, errors, signdoc_results_error_name));
    return told;
}

static void check_results(const struct run *run, const signdoc_results *results) {
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(run->spec, "expect");
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(expect, "results");
    const cJSON *one;
    size_t index = 0;
    if (wanted == NULL) {
        return;
    }
    CHECK_INT(signdoc_results_count(results), cJSON_GetArraySize(wanted));
    cJSON_ArrayForEach(one, wanted) {
        cJSON *told = as_json(results, index++);
        char *shown = cJSON_PrintUnformatted(told);
        check_each(run, one, told, shown);
        free(shown);
        cJSON_Delete(told);
    }
}

static void check_specs(const struct run *run, const signdoc_strings *specs) {
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(run->spec, "expect");
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(expect, "specs");
    CHECK_INT(signdoc_strings_count(specs), cJSON_GetArraySize(wanted));
    for (int i = 0; i < cJSON_GetArraySize(wanted); i++) {
        CHECK_TEXT(signdoc_strings_get(specs, (size_t)i),
                   cJSON_GetStringValue(cJSON_GetArrayItem(wanted, i)));
    }
}

static int counts(const cJSON *wanted, const char *request, const char *path) {
    return cJSON_HasObjectItem(wanted, request) || strncmp(path, "/signdoc/", 9) == 0;
}

static void check_requests(const struct run *run) {
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(run->spec, "expect");
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(expect, "requests");
    const cJSON *one;
    if (wanted == NULL) {
        return;
    }
    char *answer = sandbox_control(&run->sandbox, "GET", "/_sandbox/requests", "");
    cJSON *seen = cJSON_Parse(answer);
    cJSON *counted = cJSON_CreateObject();
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(seen, "requests")) {
        char request[512];
        const char *path = text_at(one, "path");
        snprintf(request, sizeof request, "%s %s", text_at(one, "method"), path);
        if (counts(wanted, request, path)) {
            cJSON *before = cJSON_GetObjectItemCaseSensitive(counted, request);
            double number = before == NULL ? 1 : before->valuedouble + 1;
            cJSON_DeleteItemFromObjectCaseSensitive(counted, request);
            cJSON_AddNumberToObject(counted, request, number);
        }
    }
    if (!cJSON_Compare(wanted, counted, 1)) {
        char *shown = cJSON_PrintUnformatted(counted);
        failed(run, "requests", wanted, shown);
        free(shown);
    }
    cJSON_Delete(counted);
    cJSON_Delete(seen);
    free(answer);
}

static void check_success(const struct run *run) {
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(run->spec, "expect");
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(expect, "error");
    if (wanted != NULL) {
        failed(run, "error", wanted, "success");
    }
}

static void run_call(struct run *run) {
    signdoc_error *error = NULL;
    signdoc_results *results = NULL;
    signdoc_strings *specs = NULL;
    int32_t code = make_client(run, &error);
    if (code == SIGNDOC_OK) {
        code = strcmp(text_at(run->spec, "call"), "specs") == 0
                   ? signdoc_conversion_specs(run->client, 0, NULL, &specs, &error)
                   : convert(run, &results, &error);
    }
    CHECK_INT(signdoc_error_code(error), code);
    if (code != SIGNDOC_OK) {
        check_failure(run, error);
        check_results(run, signdoc_error_results(error));
    } else {
        check_success(run);
        if (specs != NULL) {
            check_specs(run, specs);
        } else {
            check_results(run, results);
        }
    }
    signdoc_strings_free(specs);
    signdoc_results_free(results);
    signdoc_error_free(error);
}

static void run_case(const cJSON *spec) {
    struct run run = {.spec = spec, .id = text_at(spec, "id"), .folder = new_folder()};
    run.sandbox = sandbox_for(spec);
    run_call(&run);
    check_requests(&run);
    check_sent_documents(at(spec, "expect"), &run.sandbox, PATH_CONVERT);
    signdoc_client_free(run.client);
    signdoc_documents_free(run.documents);
    while (run.kept_count > 0) {
        free(run.kept[--run.kept_count]);
    }
    free(run.folder);
}

int main(int argc, char **argv) { return cases_run(argc, argv, "conversion", run_case); }
