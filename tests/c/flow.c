/* The whole way: options, client, conversion, results and errors, against the sandbox. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PDF "%PDF-1.4 not much"
#define ITEM(warnings)                                                                             \
    "{\"conversionResult\":{\"conversionId\":\"c-1\",\"description\":\"d\","                       \
    "\"converted\":true,\"conversionErrors\":[],\"conversionWarnings\":[" warnings "]},"           \
    "\"convertedDocument\":\"JVBERi0xLjQgb2s=\"}"
#define ANSWER(items)                                                                              \
    "{\"method\":\"POST\",\"path\":\"" PATH_CONVERT "\",\"times\":null,"                           \
    "\"fault\":{\"kind\":\"status\",\"status\":200,\"json\":[" items "]}}"
#define CONVERTED "%PDF-1.4 ok"

static struct sandbox sandbox;
static signdoc_error *error;

static signdoc_documents *one_document(void) {
    signdoc_documents *documents = signdoc_documents_new();
    CHECK_OK(signdoc_documents_add_bytes(documents, PDF, strlen(PDF), NULL, &error), &error);
    return documents;
}

static void library_says_what_it_is(void) {
    test("the library says what it is");
    CHECK_TEXT(signdoc_version(), SIGNDOC_VERSION);
    CHECK_INT(signdoc_abi_version(), SIGNDOC_ABI_VERSION);
    CHECK_INT(signdoc_stopped_panics(), 0);
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SIGNDOC_VERSION_NUMBER / 1000000,
             SIGNDOC_VERSION_NUMBER / 1000 % 1000, SIGNDOC_VERSION_NUMBER % 1000);
    CHECK_TEXT(version, SIGNDOC_VERSION);

    signdoc_buffer buffer = {NULL, 0};
    CHECK_OK(signdoc_error_table_json(&buffer, &error), &error);
    CHECK_HAS((const char *)buffer.ptr, "SIGNDOC_E_CSC_TOKEN_ALREADY_USED");
    CHECK_INT(strlen((const char *)buffer.ptr), buffer.len);
    signdoc_buffer_free(&buffer);
    CHECK(buffer.ptr == NULL && buffer.len == 0);
    signdoc_buffer_free(&buffer);

    CHECK_OK(signdoc_option_table_json(&buffer, &error), &error);
    CHECK_HAS((const char *)buffer.ptr, "SIGNDOC_CLIENT_SECRET");
    signdoc_buffer_free(&buffer);
}

static void words_are_explained(void) {
    test("words of the error table are explained");
    static const char *const words[] = {"708", "token_already_used", "csc_token_already_used",
                                        "SIGNDOC_E_CSC_TOKEN_ALREADY_USED"};
    signdoc_buffer buffer;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        CHECK_OK(signdoc_explain(words[i], &buffer, &error), &error);
        CHECK_HAS((const char *)buffer.ptr, "708 SIGNDOC_E_CSC_TOKEN_ALREADY_USED");
        signdoc_buffer_free(&buffer);
    }
    CHECK_OK(signdoc_explain("invalid_request", &buffer, &error), &error);
    CHECK_HAS((const char *)buffer.ptr, "SIGNDOC_E_OAUTH_INVALID_REQUEST");
    CHECK_HAS((const char *)buffer.ptr, "SIGNDOC_E_CSC_INVALID_REQUEST");
    signdoc_buffer_free(&buffer);
    CHECK_OK(signdoc_explain("font_subst", &buffer, &error), &error);
    CHECK_HAS((const char *)buffer.ptr, "SIGNDOC_WARNING_FONT_SUBST");
    signdoc_buffer_free(&buffer);
    CHECK_ERROR(signdoc_explain("nonsense", &buffer, &error), &error, SIGNDOC_E_INVALID_ARGUMENT);
}

static void options_are_checked(void) {
    test("options are checked");
    signdoc_client *client = NULL;
    signdoc_options *options = signdoc_options_new();
    CHECK_INT(signdoc_options_set(options, "colour", "red", &error), SIGNDOC_E_INVALID_OPTION);
    CHECK_HAS(signdoc_error_message(error), "client_id");
    CHECK_HAS(signdoc_error_details_json(error), "\"field\":\"colour\"");
    CHECK_TEXT(signdoc_error_origin(error), "local");
    CHECK_INT(signdoc_error_http_status(error), 0);
    CHECK(signdoc_error_reference(error) == NULL);
    CHECK(signdoc_error_results(error) == NULL);
    CHECK_INT(signdoc_error_retry_after_ms(error), -1);
    signdoc_error_free(error);
    error = NULL;

    CHECK_ERROR(signdoc_client_new(options, &client, &error), &error, SIGNDOC_E_MISSING_OPTION);
    CHECK_OK(signdoc_options_set(options, "issuer", "http://id.example", &error), &error);
    CHECK_OK(signdoc_options_set(options, "client_id", "shop", &error), &error);
    CHECK_ERROR(signdoc_client_new(options, &client, &error), &error, SIGNDOC_E_INSECURE_URL);
    CHECK(client == NULL);
    /* An error object is wanted by those alone who ask for it. */
    CHECK_INT(signdoc_client_new(options, &client, NULL), SIGNDOC_E_INSECURE_URL);
    CHECK_OK(signdoc_options_set(options, "issuer", "", &error), &error);
    CHECK_ERROR(signdoc_client_new(options, &client, &error), &error, SIGNDOC_E_MISSING_OPTION);

    setenv("SIGNDOC_ISSUER", "https://id.example", 1);
    setenv("SIGNDOC_CLIENT_SECRET_FILE", "/nowhere/secret", 1);
    CHECK_ERROR(signdoc_options_from_env(options, &error), &error, SIGNDOC_E_INVALID_OPTION);
    unsetenv("SIGNDOC_CLIENT_SECRET_FILE");
    CHECK_OK(signdoc_options_from_env(options, &error), &error);
    unsetenv("SIGNDOC_ISSUER");
    CHECK_OK(signdoc_client_new(options, &client, &error), &error);
    signdoc_options_free(options);
    signdoc_client_free(client);
}

static void supported_conversions_are_told(void) {
    test("the supported conversions are told");
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_strings *specs = NULL;
    CHECK_OK(signdoc_conversion_specs(client, 0, NULL, &specs, &error), &error);
    CHECK_INT(signdoc_strings_count(specs), 1);
    CHECK_TEXT(signdoc_strings_get(specs, 0), "PDFA_2B");
    CHECK(signdoc_strings_get(specs, 1) == NULL);
    signdoc_strings_free(specs);
    signdoc_client_free(client);
}

static void documents_go_from_folder_to_folder(void) {
    test("documents go from files to files");
    sandbox_fault(&sandbox, ANSWER(ITEM("") "," ITEM("")));
    char *folder = new_folder();
    char *input = path_in(folder, "loan.pdf");
    char *to = path_in(folder, "new/deep");
    write_file(input, PDF, strlen(PDF));
    signdoc_documents *documents = signdoc_documents_new();
    CHECK_OK(signdoc_documents_add_path(documents, input, &error), &error);
    CHECK_OK(signdoc_documents_add_bytes(documents, PDF, strlen(PDF), "te/rms", &error), &error);
    CHECK_INT(signdoc_documents_count(documents), 2);

    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_results *results = NULL;
    CHECK_OK(signdoc_convert(client, documents, to, NULL, 0, NULL, &results, &error), &error);
    CHECK_INT(signdoc_results_count(results), 2);
    CHECK_HAS(signdoc_results_path(results, 0), "/new/deep/loan.pdf");
    CHECK_HAS(signdoc_results_path(results, 1), "/new/deep/te_rms.pdf");
    CHECK_INT(signdoc_results_converted(results, 0), 1);
    CHECK_INT(signdoc_results_failed(results, 0), 0);
    CHECK_TEXT(signdoc_results_conversion_id(results, 0), "c-1");
    CHECK_TEXT(signdoc_results_description(results, 0), "d");
    CHECK_INT(signdoc_results_size(results, 0), strlen(CONVERTED));
    CHECK(signdoc_results_data(results, 0).ptr == NULL);
    CHECK(signdoc_results_failure(results, 0) == NULL);
    CHECK_HAS(signdoc_results_json(results), "\"index\":1");

    size_t size;
    struct stat facts;
    char *written = read_file(signdoc_results_path(results, 0), &size);
    CHECK(size == strlen(CONVERTED) && memcmp(written, CONVERTED, size) == 0);
    CHECK(stat(signdoc_results_path(results, 0), &facts) == 0);
    CHECK_INT(facts.st_mode & 0777, 0600);
    free(written);
    signdoc_results_free(results);

    test("existing files are replaced only where that is wanted");
    results = NULL;
    CHECK_ERROR(signdoc_convert(client, documents, to, NULL, 0, NULL, &results, &error), &error,
                SIGNDOC_E_DESTINATION_EXISTS);
    CHECK(results == NULL);
    signdoc_convert_options *options = signdoc_convert_options_new();
    CHECK_OK(signdoc_convert_options_set_overwrite(options, 1, &error), &error);
    CHECK_OK(signdoc_convert(client, documents, to, options, 0, NULL, &results, &error), &error);
    signdoc_convert_options_free(options);
    signdoc_results_free(results);

    signdoc_documents_free(documents);
    signdoc_client_free(client);
    free(folder);
    free(input);
    free(to);
}

static void documents_go_from_memory_to_memory(void) {
    test("documents go from memory to memory, with progress");
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&sandbox, ANSWER(ITEM("\"Font substituted\",\"Something new\"")));
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = one_document();
    signdoc_results *results = NULL;
    signdoc_call *call = signdoc_call_new();
    CHECK_OK(signdoc_convert(client, documents, NULL, NULL, 0, call, &results, &error), &error);
    signdoc_view data = signdoc_results_data(results, 0);
    CHECK(data.len == strlen(CONVERTED) && memcmp(data.ptr, CONVERTED, data.len) == 0);
    CHECK(signdoc_results_path(results, 0) == NULL);
    CHECK_INT(signdoc_results_size(results, 0), data.len);

    CHECK_INT(signdoc_results_warning_count(results, 0), 2);
    CHECK_INT(signdoc_results_warning_code(results, 0, 0), SIGNDOC_WARNING_FONT_SUBST);
    CHECK_TEXT(signdoc_results_warning_name(results, 0, 0), "FONT_SUBST");
    CHECK_TEXT(signdoc_results_warning_message(results, 0, 0), "Font substituted");
    CHECK_INT(signdoc_results_warning_code(results, 0, 1), 0);
    CHECK_TEXT(signdoc_results_warning_name(results, 0, 1), "Something new");
    CHECK_TEXT(signdoc_results_warning_message(results, 0, 1), "Something new");
    CHECK_TEXT(signdoc_results_warning_message(results, 0, 2), "");
    CHECK_INT(signdoc_results_error_count(results, 0), 0);

    test("what is not there is empty");
    CHECK(signdoc_results_conversion_id(results, 1) == NULL);
    CHECK(signdoc_results_data(results, 1).ptr == NULL);
    CHECK_INT(signdoc_results_size(results, SIZE_MAX), 0);
    CHECK_INT(signdoc_results_warning_count(results, 1), 0);

    uint64_t to_send = 0, sent = 0, received = 0;
    CHECK_OK(signdoc_call_progress(call, &to_send, &sent, &received, &error), &error);
    CHECK(to_send > strlen(PDF) && sent == to_send && received > strlen(CONVERTED));
    CHECK_OK(signdoc_call_progress(call, NULL, NULL, NULL, &error), &error);
    signdoc_call_free(call);
    signdoc_results_free(results);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

static void refused_documents_are_told(void) {
    test("refused documents fail the call, and all results are told");
    struct sandbox testing = sandbox_of("test");
    signdoc_client *client = sandbox_client(&testing);
    signdoc_documents *documents = one_document();
    signdoc_results *results = NULL;
    CHECK_INT(signdoc_convert(client, documents, NULL, NULL, 0, NULL, &results, &error),
              SIGNDOC_E_CONVERSION_DISABLED);
    CHECK(results == NULL);
    CHECK_TEXT(signdoc_error_name(error), "DISABLED");
    CHECK_TEXT(signdoc_error_constant(error), "SIGNDOC_E_CONVERSION_DISABLED");
    CHECK_TEXT(signdoc_error_origin(error), "service");
    CHECK_INT(signdoc_error_http_status(error), 400);
    CHECK_INT(signdoc_error_retryable(error), 0);
    CHECK(*signdoc_error_category(error) != '\0' && *signdoc_error_advice(error) != '\0');
    const signdoc_results *told = signdoc_error_results(error);
    CHECK_INT(signdoc_results_count(told), 1);
    CHECK_INT(signdoc_results_converted(told, 0), 0);
    CHECK_INT(signdoc_results_failed(told, 0), 1);
    CHECK_INT(signdoc_results_error_count(told, 0), 1);
    CHECK_INT(signdoc_results_error_code(told, 0, 0), SIGNDOC_E_CONVERSION_DISABLED);
    CHECK_TEXT(signdoc_results_error_name(told, 0, 0), "DISABLED");
    CHECK_TEXT(signdoc_results_error_message(told, 0, 0), "PDF conversion is disabled");
    /* They belong to the error. */
    signdoc_results_free((signdoc_results *)told);
    CHECK_INT(signdoc_results_count(told), 1);
    signdoc_error_free(error);
    error = NULL;

    test("the call succeeds where refused documents are allowed");
    signdoc_convert_options *options = signdoc_convert_options_new();
    CHECK_OK(signdoc_convert_options_set_strict(options, 0, &error), &error);
    CHECK_OK(signdoc_convert(client, documents, NULL, options, 0, NULL, &results, &error), &error);
    CHECK_INT(signdoc_results_failed(results, 0), 1);
    signdoc_results_free(results);
    signdoc_convert_options_free(options);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

static void errors_of_the_service_are_told(void) {
    test("errors of the service are told with status and wait");
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&sandbox, "{\"path\":\"" PATH_CONVERT "\",\"fault\":{\"kind\":\"status\","
                            "\"status\":503,\"headers\":{\"Retry-After\":\"7\"}}}");
    signdoc_client *client = sandbox_client_once(&sandbox);
    signdoc_documents *documents = one_document();
    signdoc_results *results = NULL;
    CHECK_INT(signdoc_convert(client, documents, NULL, NULL, 0, NULL, &results, &error),
              SIGNDOC_E_SERVICE_UNAVAILABLE);
    CHECK_INT(signdoc_error_http_status(error), 503);
    CHECK_INT(signdoc_error_retryable(error), 1);
    CHECK_INT(signdoc_error_retry_after_ms(error), 7000);
    CHECK_HAS(signdoc_error_json(error), "\"retry_after\":7");
    signdoc_error_free(error);
    error = NULL;

    test("the time limit of a call holds");
    sandbox_fault(&sandbox, "{\"path\":\"" PATH_CONVERT "\",\"fault\":{\"kind\":\"stall\"}}");
    int64_t before = now_ms();
    CHECK_ERROR(signdoc_convert(client, documents, NULL, NULL, 300, NULL, &results, &error), &error,
                SIGNDOC_E_TOTAL_TIMEOUT);
    CHECK(now_ms() - before >= 290);

    test("a closed client refuses calls");
    CHECK_OK(signdoc_client_close(client, &error), &error);
    CHECK_OK(signdoc_client_close(client, &error), &error);
    CHECK_ERROR(signdoc_convert(client, documents, NULL, NULL, 0, NULL, &results, &error), &error,
                SIGNDOC_E_CLIENT_CLOSED);
    CHECK(results == NULL);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

static void the_clock_can_be_moved(void) {
    test("tokens follow the client's clock");
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_strings *specs = NULL;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(signdoc_conversion_specs(client, 0, NULL, &specs, &error), &error);
        signdoc_strings_free(specs);
    }
    CHECK_INT(sandbox_seen(&sandbox, PATH_TOKEN), 1);
    CHECK_OK(signdoc_client_set_clock_offset(client, INT64_C(86400000), &error), &error);
    CHECK_OK(signdoc_conversion_specs(client, 0, NULL, &specs, &error), &error);
    signdoc_strings_free(specs);
    CHECK_INT(sandbox_seen(&sandbox, PATH_TOKEN), 2);
    signdoc_client_free(client);
}

static void many_documents_are_converted_each_on_its_own(void) {
    test("many documents, each on its own");
    struct sandbox testing = sandbox_of("test");
    signdoc_client *client = sandbox_client(&testing);
    signdoc_documents *documents = signdoc_documents_new();
    for (int i = 0; i < 20; i++) {
        CHECK_OK(signdoc_documents_add_bytes(documents, PDF, strlen(PDF), NULL, &error), &error);
    }
    CHECK_OK(signdoc_documents_add_path(documents, "/nowhere/x.pdf", &error), &error);
    CHECK_OK(signdoc_documents_add_bytes(documents, "GIF89a", 6, NULL, &error), &error);
    signdoc_results *results = NULL;
    CHECK_OK(signdoc_convert_many(client, documents, NULL, NULL, 0, NULL, &results, &error),
             &error);
    CHECK_INT(signdoc_results_count(results), 22);
    for (size_t i = 0; i < 20; i++) {
        CHECK_INT(signdoc_results_error_code(results, i, 0), SIGNDOC_E_CONVERSION_DISABLED);
        CHECK(signdoc_results_failure(results, i) == NULL);
    }
    const signdoc_error *failure = signdoc_results_failure(results, 20);
    CHECK_INT(signdoc_error_code(failure), SIGNDOC_E_DOCUMENT_NOT_FOUND);
    CHECK_HAS(signdoc_error_message(failure), "/nowhere/x.pdf");
    signdoc_error_free((signdoc_error *)failure);
    CHECK_INT(signdoc_error_code(failure), SIGNDOC_E_DOCUMENT_NOT_FOUND);
    failure = signdoc_results_failure(results, 21);
    CHECK_INT(signdoc_error_code(failure), SIGNDOC_E_NOT_A_PDF);
    CHECK_INT(sandbox_seen(&testing, PATH_CONVERT), 2);
    signdoc_results_free(results);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

static void what_is_done_is_not_sent_again(void) {
    test("what is done is remembered");
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&sandbox, ANSWER(ITEM("")));
    char *folder = new_folder();
    char *done = path_in(folder, "done.jsonl");
    char *to = path_in(folder, "out");
    char *input = path_in(folder, "loan.pdf");
    write_file(input, PDF, strlen(PDF));
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = signdoc_documents_new();
    CHECK_OK(signdoc_documents_add_path(documents, input, &error), &error);
    signdoc_convert_options *options = signdoc_convert_options_new();
    CHECK_OK(signdoc_convert_options_set_resume(options, done, &error), &error);
    CHECK_OK(signdoc_convert_options_set_concurrency(options, 2, &error), &error);
    CHECK_ERROR(signdoc_convert_options_set_concurrency(options, 65, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    signdoc_results *results = NULL;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(signdoc_convert_many(client, documents, to, options, 0, NULL, &results, &error),
                 &error);
        CHECK_HAS(signdoc_results_path(results, 0), "/out/loan.pdf");
        CHECK_INT(signdoc_results_resumed(results, 0), i);
        CHECK_INT(sandbox_seen(&sandbox, PATH_CONVERT), 1);
        signdoc_results_free(results);
    }
    CHECK_ERROR(signdoc_convert_many(client, documents, NULL, options, 0, NULL, &results, &error),
                &error, SIGNDOC_E_INVALID_ARGUMENT);
    signdoc_convert_options_free(options);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
    free(folder);
    free(done);
    free(to);
    free(input);
}

static void real_documents_are_converted(void) {
    test("real documents are converted");
    if (!has_converter()) {
        left_out("real documents", "the sandbox has no converter");
        return;
    }
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    size_t size;
    char *loan = sample("loan-agreement.pdf");
    char *path = sample("already-signed.pdf");
    char *bytes = read_file(path, &size);
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_results *results = NULL;
    CHECK_OK(signdoc_documents_add_path(documents, loan, &error), &error);
    CHECK_OK(signdoc_documents_add_bytes(documents, bytes, size, NULL, &error), &error);
    CHECK_ERROR(signdoc_convert(client, documents, NULL, NULL, 0, NULL, &results, &error), &error,
                SIGNDOC_E_CONVERSION_DOC_SIGNED);
    CHECK_ERROR(signdoc_documents_set_allow_signed(documents, 2, 1, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_OK(signdoc_documents_set_allow_signed(documents, 1, 1, &error), &error);
    CHECK_OK(signdoc_convert(client, documents, NULL, NULL, 0, NULL, &results, &error), &error);
    for (size_t i = 0; i < 2; i++) {
        signdoc_view data = signdoc_results_data(results, i);
        CHECK(data.len > 1000 && memcmp(data.ptr, "%PDF-", 5) == 0);
        CHECK_INT(signdoc_results_converted(results, i), 1);
    }
    signdoc_results_free(results);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
    free(bytes);
    free(path);
    free(loan);
}

int main(void) {
    sandbox = sandbox_of("production");
    library_says_what_it_is();
    words_are_explained();
    options_are_checked();
    supported_conversions_are_told();
    documents_go_from_folder_to_folder();
    documents_go_from_memory_to_memory();
    refused_documents_are_told();
    errors_of_the_service_are_told();
    the_clock_can_be_moved();
    many_documents_are_converted_each_on_its_own();
    what_is_done_is_not_sent_again();
    real_documents_are_converted();
    CHECK_INT(signdoc_stopped_panics(), 0);
    return tests_end();
}
