/* The cases of tests/vectors/verification.json through the C face, and what only C can get wrong. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

static const char *folder;

static const char *text_at(const cJSON *object, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static const cJSON *at(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void add_file(signdoc_documents *documents, const char *name) {
    signdoc_error *error = NULL;
    char *path = path_in(folder, name);
    CHECK_OK(signdoc_documents_add_path(documents, path, &error), &error);
    free(path);
}

static int32_t set_file(signdoc_verify_options *options, const char *key, const char *name,
                        signdoc_error **error) {
    if (name == NULL) {
        return SIGNDOC_OK;
    }
    char *path = path_in(folder, name);
    int32_t code = signdoc_verify_options_set(options, key, path, error);
    free(path);
    return code;
}

static int32_t set_all(const cJSON *spec, signdoc_verify_options *options, signdoc_error **error) {
    const cJSON *pair;
    int32_t code = set_file(options, "original", text_at(spec, "original"), error);
    if (code == SIGNDOC_OK) {
        code = set_file(options, "trust", text_at(spec, "trust"), error);
    }
    cJSON_ArrayForEach(pair, at(spec, "options")) {
        if (code == SIGNDOC_OK) {
            code = signdoc_verify_options_set(options, pair->child->valuestring,
                                              pair->child->next->valuestring, error);
        }
    }
    return code;
}

static void check_signatures(const cJSON *expect, const signdoc_report *report) {
    const cJSON *one;
    size_t index = 0;
    cJSON_ArrayForEach(one, at(expect, "signers")) {
        CHECK_TEXT(signdoc_report_signature_signer(report, index++), one->valuestring);
    }
    if (at(expect, "signers") != NULL) {
        CHECK_INT(signdoc_report_signature_count(report), index);
    }
    index = 0;
    cJSON_ArrayForEach(one, at(expect, "levels")) {
        CHECK_TEXT(signdoc_report_signature_level(report, index++), one->valuestring);
    }
}

/* The typed getters say what the JSON view says. */
static void check_getters(const signdoc_report *report) {
    cJSON *told = cJSON_Parse(signdoc_report_json(report));
    const cJSON *check;
    size_t index = 0;
    CHECK(told != NULL);
    CHECK_INT(signdoc_report_ok(report), cJSON_IsTrue(at(told, "ok")) ? 1 : 0);
    cJSON_ArrayForEach(check, at(told, "checks")) {
        CHECK_TEXT(signdoc_report_check_name(report, index), text_at(check, "name"));
        CHECK_TEXT(signdoc_report_check_status(report, index), text_at(check, "status"));
        CHECK_TEXT(signdoc_report_check_detail(report, index), text_at(check, "detail"));
        index++;
    }
    CHECK_INT(signdoc_report_check_count(report), index);
    CHECK(signdoc_report_check_name(report, index) == NULL);
    cJSON_Delete(told);
}

static void check_report(const cJSON *expect, const signdoc_report *report) {
    const cJSON *check;
    const cJSON *problem = at(expect, "problem");
    const signdoc_error *wrong = signdoc_report_problem(report);
    CHECK_INT(signdoc_report_ok(report), cJSON_IsTrue(at(expect, "ok")) ? 1 : 0);
    cJSON_ArrayForEach(check, at(expect, "checks")) {
        CHECK_TEXT(signdoc_report_status(report, check->string), check->valuestring);
    }
    CHECK_INT(signdoc_error_code(wrong), problem == NULL ? 0 : problem->valueint);
    CHECK((wrong == NULL) == (problem == NULL));
    /* It belongs to the report: nothing is freed here. */
    signdoc_error_free((signdoc_error *)wrong);
    if (text_at(expect, "kind") != NULL) {
        char part[64];
        snprintf(part, sizeof part, "\"kind\":\"%s\"", text_at(expect, "kind"));
        CHECK_HAS(signdoc_report_json(report), part);
    }
    check_signatures(expect, report);
    check_getters(report);
}

static void check_findings(const cJSON *expect, const signdoc_findings *findings) {
    const cJSON *wanted;
    size_t count = signdoc_findings_count(findings);
    CHECK_INT(signdoc_findings_refused(findings), cJSON_IsTrue(at(expect, "refused")) ? 1 : 0);
    cJSON_ArrayForEach(wanted, at(expect, "findings")) {
        int found = 0;
        for (size_t i = 0; i < count; i++) {
            found |= strcmp(signdoc_findings_code(findings, i), wanted->valuestring) == 0;
        }
        CHECK(found);
        CHECK_HAS(signdoc_findings_json(findings), wanted->valuestring);
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(*signdoc_findings_severity(findings, i) != '\0');
        CHECK(*signdoc_findings_message(findings, i) != '\0');
        CHECK(*signdoc_findings_remedy(findings, i) != '\0');
    }
    CHECK(signdoc_findings_code(findings, count) == NULL);
}

static void run(const cJSON *spec) {
    const cJSON *expect = at(spec, "expect");
    const cJSON *wanted = at(expect, "error");
    const cJSON *name;
    signdoc_error *error = NULL;
    signdoc_report *report = NULL;
    signdoc_findings *findings = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_verify_options *options = signdoc_verify_options_new();
    test(text_at(spec, "id"));
    printf("vector verification/%s\n", text_at(spec, "id"));
    cJSON_ArrayForEach(name, at(spec, "files")) {
        add_file(documents, name->valuestring);
    }
    int32_t code;
    if (text_at(spec, "call") != NULL) {
        code = signdoc_preflight(documents, &findings, &error);
    } else {
        code = set_all(spec, options, &error);
        if (code == SIGNDOC_OK) {
            code = signdoc_verify(documents, options, &report, &error);
        }
    }
    if (wanted != NULL) {
        CHECK_ERROR(code, &error, at(wanted, "code")->valueint);
    } else {
        CHECK_OK(code, &error);
        if (findings != NULL) {
            check_findings(expect, findings);
        }
        if (report != NULL) {
            check_report(expect, report);
        }
        CHECK((findings == NULL) != (report == NULL));
    }
    signdoc_report_free(report);
    signdoc_findings_free(findings);
    signdoc_verify_options_free(options);
    signdoc_documents_free(documents);
}

/* What the example in the documentation does. */
static void files_may_be_in_memory(void) {
    test("files may be in memory");
    const char *names[] = {"signed.pdf", "loan.pdf", "roots.pem"};
    const char *keys[] = {NULL, "original", "trust"};
    char *bytes[3];
    size_t sizes[3];
    signdoc_error *error = NULL;
    signdoc_report *report = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_verify_options *options = signdoc_verify_options_new();
    for (size_t i = 0; i < 3; i++) {
        char *path = path_in(folder, names[i]);
        bytes[i] = read_file(path, &sizes[i]);
        free(path);
    }
    CHECK_OK(signdoc_documents_add_bytes(documents, bytes[0], sizes[0], NULL, &error), &error);
    for (size_t i = 1; i < 3; i++) {
        CHECK_OK(signdoc_verify_options_set_bytes(options, keys[i], bytes[i], sizes[i], &error),
                 &error);
    }
    CHECK_OK(signdoc_verify_options_set(options, "at", "1795179600", &error), &error);
    CHECK_OK(signdoc_verify(documents, options, &report, &error), &error);
    CHECK_INT(signdoc_report_ok(report), 1);
    CHECK_TEXT(signdoc_report_status(report, "original"), "passed");
    CHECK_TEXT(signdoc_report_status(report, "signer"), "not_checked");
    signdoc_buffer page = {NULL, 0};
    CHECK_OK(signdoc_report_html(report, "loan <1>.pdf", &page, &error), &error);
    CHECK_INT(strlen((const char *)page.ptr), page.len);
    CHECK_HAS((const char *)page.ptr, "<title>loan &lt;1&gt;.pdf</title>");
    CHECK_HAS((const char *)page.ptr, "Signed by <bdi>Nordmann, Kari");
    CHECK(strstr((const char *)page.ptr, "UN:NO") == NULL);
    signdoc_buffer_free(&page);
    signdoc_report_free(report);
    /* Each verification stands for itself. */
    report = NULL;
    CHECK_OK(signdoc_verify_options_set(options, "signer", "Ola Hansen", &error), &error);
    CHECK_OK(signdoc_verify(documents, options, &report, &error), &error);
    CHECK_INT(signdoc_report_ok(report), 0);
    CHECK_INT(signdoc_error_code(signdoc_report_problem(report)), SIGNDOC_E_SIGNER_MISMATCH);
    signdoc_report_free(report);
    signdoc_verify_options_free(options);
    signdoc_documents_free(documents);
    for (size_t i = 0; i < 3; i++) {
        free(bytes[i]);
    }
}

static void nobody_is_trusted_by_default(void) {
    test("nobody is trusted by default");
    signdoc_error *error = NULL;
    signdoc_report *report = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    CHECK_ERROR(signdoc_verify(documents, NULL, &report, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    add_file(documents, "signed.pdf");
    CHECK_OK(signdoc_verify(documents, NULL, &report, &error), &error);
    CHECK_INT(signdoc_report_ok(report), 0);
    CHECK_INT(signdoc_error_code(signdoc_report_problem(report)), SIGNDOC_E_NOT_CHECKED);
    signdoc_report_free(report);
    signdoc_documents_free(documents);
}

static void a_bundle_is_made_and_verified(void) {
    test("an evidence bundle is made and verified");
    signdoc_error *error = NULL;
    signdoc_report *report = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_bundle_options *options = signdoc_bundle_options_new();
    char *output = new_folder();
    char *to = path_in(output, "loan.asice");
    const char *files[] = {"original", "trust", "evidence"};
    const char *names[] = {"loan.pdf", "roots.pem", "roots.pem"};
    size_t size;
    char *signed_file = path_in(folder, "signed.pdf");
    char *bytes = read_file(signed_file, &size);
    CHECK_ERROR(signdoc_bundle(options, to, &report, &error), &error, SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_OK(signdoc_bundle_options_set_bytes(options, "signed", bytes, size, &error), &error);
    for (size_t i = 0; i < 3; i++) {
        char *path = path_in(folder, names[i]);
        CHECK_OK(signdoc_bundle_options_set(options, files[i], path, &error), &error);
        free(path);
    }
    CHECK_OK(signdoc_bundle_options_set(options, "at", "1795179600", &error), &error);
    CHECK_OK(signdoc_bundle_options_set(options, "identity", "{\"given_name\": \"Kari\"}", &error),
             &error);
    CHECK_OK(signdoc_bundle(options, to, &report, &error), &error);
    CHECK_INT(signdoc_report_ok(report), 1);
    CHECK_TEXT(signdoc_report_status(report, "signer"), "passed");
    CHECK_TEXT(signdoc_report_status(report, "container_timestamp"), "not_checked");
    signdoc_report_free(report);
    report = NULL;
    CHECK_ERROR(signdoc_bundle(options, to, NULL, &error), &error, SIGNDOC_E_DESTINATION_EXISTS);
    CHECK_OK(signdoc_bundle_options_set(options, "overwrite", "true", &error), &error);
    CHECK_OK(signdoc_bundle(options, to, NULL, &error), &error);
    CHECK_OK(signdoc_documents_add_path(documents, to, &error), &error);
    CHECK_OK(signdoc_verify(documents, NULL, &report, &error), &error);
    CHECK_TEXT(signdoc_report_status(report, "contents"), "passed");
    CHECK_ERROR(signdoc_bundle_options_set(options, "colour", "blue", &error), &error,
                SIGNDOC_E_INVALID_OPTION);
    CHECK_ERROR(signdoc_bundle_options_set_bytes(options, "order", "{}", 2, &error), &error,
                SIGNDOC_E_INVALID_OPTION);
    signdoc_report_free(report);
    signdoc_bundle_options_free(options);
    signdoc_documents_free(documents);
    free(bytes);
    free(signed_file);
    free(to);
    free(output);
}

static void mistakes_are_told(void) {
    test("mistakes are told");
    signdoc_error *error = NULL;
    signdoc_findings *findings = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_verify_options *options = signdoc_verify_options_new();
    CHECK_ERROR(signdoc_verify_options_set(options, "trust_me", "1", &error), &error,
                SIGNDOC_E_INVALID_OPTION);
    CHECK_ERROR(signdoc_verify_options_set_bytes(options, "signer", "x", 1, &error), &error,
                SIGNDOC_E_INVALID_OPTION);
    CHECK_ERROR(signdoc_verify_options_set_bytes(options, "trust", NULL, 1, &error), &error,
                SIGNDOC_E_NULL_POINTER);
    CHECK_OK(signdoc_verify_options_set(options, "signer", "Kari", &error), &error);
    CHECK_ERROR(signdoc_verify_options_set(options, "signer", "Ola", &error), &error,
                SIGNDOC_E_INVALID_OPTION);
    CHECK_ERROR(signdoc_preflight(documents, &findings, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    add_file(documents, "loan.pdf");
    add_file(documents, "loan.pdf");
    CHECK_ERROR(signdoc_preflight(documents, &findings, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    signdoc_verify_options_free(options);
    signdoc_documents_free(documents);
}

static void files_are_extended(void) {
    test("files are extended");
    signdoc_error *error = NULL;
    signdoc_extended *extended = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_extend_options *options = signdoc_extend_options_new();
    CHECK_ERROR(signdoc_extend(documents, NULL, options, NULL, 0, NULL, &extended, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    add_file(documents, "stamped.pdf");
    CHECK_ERROR(signdoc_extend(documents, NULL, options, NULL, 0, NULL, &extended, &error), &error,
                SIGNDOC_E_MISSING_OPTION);
    CHECK_ERROR(signdoc_extend_options_set(options, "level", "B-T", &error), &error,
                SIGNDOC_E_INVALID_OPTION);
    CHECK_ERROR(signdoc_extend_options_set(options, "colour", "blue", &error), &error,
                SIGNDOC_E_INVALID_OPTION);
    CHECK_OK(signdoc_extend_options_set(options, "level", "B-LT", &error), &error);
    CHECK_OK(signdoc_extend_options_set(options, "fetch", "false", &error), &error);
    CHECK_OK(signdoc_extend_options_set(options, "at", "1795179600", &error), &error);
    size_t size, whole;
    char *roots = path_in(folder, "roots.pem"), *path = path_in(folder, "stamped.pdf");
    char *pem = read_file(roots, &size), *pdf = read_file(path, &whole);
    CHECK_OK(signdoc_extend_options_set_bytes(options, "trust", pem, size, &error), &error);
    CHECK_OK(signdoc_extend(documents, NULL, options, NULL, 0, NULL, &extended, &error), &error);
    CHECK_INT(signdoc_extended_reached(extended), 1);
    CHECK_TEXT(signdoc_extended_level(extended), "B-LT");
    CHECK(signdoc_extended_path(extended) == NULL);
    CHECK_HAS(signdoc_extended_json(extended), "\"reached\":true");
    /* It had all of it: nothing was added. */
    signdoc_view data = signdoc_extended_data(extended);
    CHECK(data.len == whole && memcmp(data.ptr, pdf, whole) == 0);
    signdoc_extended_free(extended);
    extended = NULL;
    signdoc_documents *plain = signdoc_documents_new();
    add_file(plain, "loan.pdf");
    CHECK_ERROR(signdoc_extend(plain, NULL, options, NULL, 0, NULL, &extended, &error), &error,
                SIGNDOC_E_SIGNATURE_MISSING);
    free(roots);
    free(path);
    free(pem);
    free(pdf);
    signdoc_documents_free(plain);
    signdoc_extend_options_free(options);
    signdoc_documents_free(documents);
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "verify VECTORS FOLDER\n");
        return 2;
    }
    size_t size;
    char *text = read_file(arguments[1], &size);
    cJSON *vectors = cJSON_ParseWithLength(text, size);
    const cJSON *spec;
    folder = arguments[2];
    cJSON_ArrayForEach(spec, at(vectors, "cases")) {
        run(spec);
    }
    files_may_be_in_memory();
    nobody_is_trusted_by_default();
    a_bundle_is_made_and_verified();
    mistakes_are_told();
    files_are_extended();
    cJSON_Delete(vectors);
    free(text);
    return tests_end();
}
