/* Sign orders of both kinds: created, signed by the sandbox's end user, downloaded; and what may go
 * wrong on the way. */
#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACK "https://shop.example/callback"

static struct sandbox sandbox;
static signdoc_client *client;
static signdoc_error *error;

static signdoc_order_request *request(const char *results) {
    signdoc_order_request *made = signdoc_order_request_new();
    CHECK_OK(signdoc_order_request_set(made, "name", "Loan 4711", &error), &error);
    if (results != NULL) {
        CHECK_OK(signdoc_order_request_set(made, "results", results, &error), &error);
    }
    return made;
}

static signdoc_documents *one_text(void) {
    signdoc_documents *documents = signdoc_documents_new();
    CHECK_OK(signdoc_documents_add_text(documents, "I agree. \xc3\x86", &error), &error);
    return documents;
}

static signdoc_order *created(int32_t kind, const char *results, signdoc_documents *documents) {
    signdoc_order *order = NULL;
    signdoc_order_request *asked = request(results);
    CHECK_OK(signdoc_order_create(client, kind, asked, documents, 0, NULL, &order, &error), &error);
    signdoc_order_request_free(asked);
    signdoc_documents_free(documents);
    return order;
}

static signdoc_login *begun(const signdoc_order *order) {
    signdoc_login *login = NULL;
    CHECK_OK(signdoc_login_begin(client, order, BACK, "nb en", "profile", NULL, 0, NULL, &login,
                                 &error),
             &error);
    return login;
}

/* The end user signs, and comes back. */
static void sign(const signdoc_order *order) {
    signdoc_identity *identity = NULL;
    signdoc_login *login = begun(order);
    CHECK_HAS(signdoc_login_url(login), signdoc_order_sign_id(order));
    CHECK_TEXT(signdoc_login_sign_id(login), signdoc_order_sign_id(order));
    char *callback = sandbox_visit(&sandbox, signdoc_login_url(login), "sign");
    CHECK_OK(signdoc_login_finish(client, signdoc_login_token(login), callback, 0, NULL, &identity,
                                  &error),
             &error);
    CHECK_TEXT(signdoc_identity_sign_id(identity), signdoc_order_sign_id(order));
    CHECK(strlen(signdoc_identity_subject(identity)) > 0);
    CHECK_HAS(signdoc_identity_claims_json(identity), signdoc_identity_subject(identity));
    signdoc_identity_free(identity);
    identity = NULL;

    /* The provider takes a code once. */
    CHECK_INT(signdoc_login_finish(client, signdoc_login_token(login), callback, 0, NULL, &identity,
                                   &error),
              SIGNDOC_E_OAUTH_INVALID_GRANT);
    CHECK_HAS(signdoc_error_details_json(error), signdoc_order_sign_id(order));
    signdoc_error_free(error);
    error = NULL;
    free(callback);
    signdoc_login_free(login);
}

static void check_state(const signdoc_order *order, const char *wanted, int32_t wanted_final) {
    signdoc_buffer state = {NULL, 0};
    int32_t is_final = -1;
    CHECK_OK(signdoc_order_state(client, order, 0, NULL, &state, &is_final, &error), &error);
    CHECK_TEXT((const char *)state.ptr, wanted);
    CHECK_INT(is_final, wanted_final);
    signdoc_buffer_free(&state);
}

static int32_t on_state(void *context, const char *state) {
    char *seen = context;
    strncat(seen, state, 200 - strlen(seen));
    strncat(seen, ";", 200 - strlen(seen));
    return 0;
}

static signdoc_documents *loans(void) {
    char *loan = sample("loan-agreement.pdf");
    signdoc_documents *documents = signdoc_documents_new();
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(signdoc_documents_add_path(documents, loan, &error), &error);
    }
    CHECK_OK(signdoc_documents_set(documents, 0, "description", "Loan agreement", &error), &error);
    CHECK_OK(signdoc_documents_set_seal(documents, 0, SIGNDOC_SEAL_END_USER, 72.5, 700, 1, &error),
             &error);
    CHECK_OK(signdoc_documents_set(documents, 1, "end_user_only", "true", &error), &error);
    free(loan);
    return documents;
}

static void pdfs_are_signed(void) {
    test("PDFs are signed and downloaded into a folder");
    signdoc_order *order =
        created(SIGNDOC_ORDER_PADES, "padesSignedPdf, padesAppendix, documentHash", loans());
    CHECK_INT(signdoc_order_kind(order), SIGNDOC_ORDER_PADES);
    CHECK(signdoc_order_expires_in_ms(order) > 0 && signdoc_order_expires_in_ms(order) <= 90000);
    CHECK(signdoc_order_conversions(order) == NULL);

    test("what is not signed is not downloaded");
    signdoc_download *download = NULL;
    CHECK_ERROR(signdoc_order_download(client, order, NULL, NULL, 0, 0, NULL, &download, &error),
                &error, SIGNDOC_E_ORDER_NOT_READY);

    sign(order);
    signdoc_call *call = signdoc_call_new();
    char seen[256] = "";
    signdoc_buffer state = {NULL, 0};
    int32_t is_final = 0;
    CHECK_OK(signdoc_call_set_state(call, on_state, seen, &error), &error);
    CHECK_OK(signdoc_order_wait(client, order, NULL, 0, call, &state, &is_final, &error), &error);
    CHECK_TEXT((const char *)state.ptr, "SIGN_COMPLETED");
    CHECK_TEXT(seen, "SIGN_COMPLETED;");
    CHECK_INT(is_final, 1);
    signdoc_buffer_free(&state);
    signdoc_call_free(call);

    /* Another process goes on with the order. */
    signdoc_order *saved = NULL;
    CHECK_OK(signdoc_order_from_json(client, signdoc_order_json(order), &saved, &error), &error);
    CHECK_TEXT(signdoc_order_sign_id(saved), signdoc_order_sign_id(order));
    signdoc_order_free(order);
    char *folder = new_folder();
    CHECK_OK(signdoc_order_download(client, saved, folder, NULL, 0, 0, NULL, &download, &error),
             &error);
    CHECK_INT(signdoc_download_count(download), 2);
    CHECK_TEXT(signdoc_download_sign_id(download), signdoc_order_sign_id(saved));
    CHECK_TEXT(signdoc_download_order_name(download), "Loan 4711");
    CHECK_TEXT(signdoc_download_order_state(download), "SIGN_COMPLETED");
    CHECK_TEXT(signdoc_download_description(download, 0), "Loan agreement");
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        char *pdf = read_file(signdoc_download_path(download, i, SIGNDOC_PART_DOCUMENT), &size);
        CHECK(size > 1000 && memcmp(pdf, "%PDF-", 5) == 0);
        CHECK(file_exists(signdoc_download_path(download, i, SIGNDOC_PART_APPENDIX)));
        CHECK(signdoc_download_data(download, i, SIGNDOC_PART_DOCUMENT).ptr == NULL);
        CHECK_INT(strlen(signdoc_download_signed_sha256(download, i)), 44);
        CHECK_INT(strlen(signdoc_download_unsigned_sha256(download, i)), 44);
        free(pdf);
    }
    CHECK(signdoc_download_path(download, 0, SIGNDOC_PART_MERCHANT_SIGNATURE) == NULL);
    CHECK(signdoc_download_path(download, 0, 99) == NULL);
    CHECK(signdoc_download_path(download, 2, SIGNDOC_PART_DOCUMENT) == NULL);
    CHECK_HAS(signdoc_download_json(download), "\"signed_check\":\"matches\"");
    CHECK_HAS(signdoc_download_json(download), "\"unsigned_check\":\"matches\"");
    signdoc_download_free(download);
    download = NULL;

    test("what was downloaded is gone");
    CHECK_ERROR(signdoc_order_download(client, saved, NULL, NULL, 0, 0, NULL, &download, &error),
                &error, SIGNDOC_E_ORDER_NOT_FOUND);
    CHECK(download == NULL);
    signdoc_order_free(saved);
    free(folder);
}

static void objects_are_signed(void) {
    test("data objects are signed and downloaded into memory");
    char *loan = sample("loan-agreement.pdf");
    signdoc_documents *documents = one_text();
    CHECK_OK(signdoc_documents_add_xml(documents, "<a>1</a>",
                                       "<xsl:stylesheet version=\"1.0\" "
                                       "xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\"/>",
                                       &error),
             &error);
    CHECK_OK(signdoc_documents_add_path(documents, loan, &error), &error);
    signdoc_order *order =
        created(SIGNDOC_ORDER_SDO, "sdo,basicSignature,documentHash", documents);
    CHECK_INT(signdoc_order_kind(order), SIGNDOC_ORDER_SDO);
    sign(order);
    check_state(order, "SIGN_COMPLETED", 1);
    signdoc_order *known = NULL;
    CHECK_OK(signdoc_order_of(SIGNDOC_ORDER_SDO, signdoc_order_sign_id(order), &known, &error),
             &error);
    CHECK_INT(signdoc_order_expires_in_ms(known), -1);
    CHECK_TEXT(signdoc_order_json(known), "");
    signdoc_documents *originals = one_text();
    signdoc_download *download = NULL;
    /* Texts are no originals whose digests are known by their files. */
    CHECK_ERROR(signdoc_order_download(client, known, NULL, originals, 0, 0, NULL, &download,
                                       &error),
                &error, SIGNDOC_E_CONTENT_KIND);
    CHECK_OK(signdoc_order_download(client, known, NULL, NULL, 0, 0, NULL, &download, &error),
             &error);
    CHECK_INT(signdoc_download_count(download), 3);
    CHECK_TEXT(signdoc_download_client_id(download), sandbox.client_id);
    for (size_t i = 0; i < 3; i++) {
        signdoc_view sdo = signdoc_download_data(download, i, SIGNDOC_PART_DOCUMENT);
        CHECK(sdo.len > 100 && sdo.ptr[0] == '<');
        CHECK(signdoc_download_data(download, i, SIGNDOC_PART_MERCHANT_SIGNATURE).len > 100);
        CHECK(signdoc_download_data(download, i, SIGNDOC_PART_END_USER_SIGNATURE).len > 100);
        CHECK(signdoc_download_data(download, i, SIGNDOC_PART_APPENDIX).ptr == NULL);
        CHECK(signdoc_download_path(download, i, SIGNDOC_PART_DOCUMENT) == NULL);
        CHECK_INT(strlen(signdoc_download_unsigned_sha256(download, i)), 44);
    }
    signdoc_download_free(download);
    signdoc_documents_free(originals);
    signdoc_order_free(known);
    signdoc_order_free(order);
    free(loan);
}

static void check_refused_here(int32_t kind, const char *property, const char *value,
                               signdoc_documents *documents, int32_t wanted) {
    signdoc_order *order = NULL;
    signdoc_order_request *asked = request(NULL);
    CHECK_OK(signdoc_order_request_set(asked, property, value, &error), &error);
    CHECK_ERROR(signdoc_order_create(client, kind, asked, documents, 0, NULL, &order, &error),
                &error, wanted);
    CHECK(order == NULL);
    signdoc_order_request_free(asked);
    signdoc_documents_free(documents);
}

static void wrong_orders_are_refused_here(void) {
    test("wrong orders are refused before anything is sent");
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    check_refused_here(SIGNDOC_ORDER_SDO, "name", " ", one_text(), SIGNDOC_E_INVALID_ARGUMENT);
    check_refused_here(SIGNDOC_ORDER_SDO, "results", "padesSignedPdf", one_text(),
                       SIGNDOC_E_INVALID_ARGUMENT);
    check_refused_here(SIGNDOC_ORDER_PADES, "results", "documentHash", loans(),
                       SIGNDOC_E_INVALID_ARGUMENT);
    check_refused_here(SIGNDOC_ORDER_PADES, "name", "o", one_text(), SIGNDOC_E_CONTENT_KIND);
    check_refused_here(SIGNDOC_ORDER_SDO, "name", "o", signdoc_documents_new(),
                       SIGNDOC_E_DOCUMENT_COUNT);
    check_refused_here(3, "name", "o", one_text(), SIGNDOC_E_INVALID_ARGUMENT);
    check_refused_here(SIGNDOC_ORDER_SDO, "timeout_seconds", "0", one_text(),
                       SIGNDOC_E_INVALID_ARGUMENT);
    /* What only the other kind has is refused, not left out. */
    check_refused_here(SIGNDOC_ORDER_SDO, "visual_seals", "true", one_text(),
                       SIGNDOC_E_INVALID_ARGUMENT);
    signdoc_documents *alone = one_text();
    CHECK_OK(signdoc_documents_set(alone, 0, "end_user_only", "true", &error), &error);
    check_refused_here(SIGNDOC_ORDER_SDO, "name", "o", alone, SIGNDOC_E_INVALID_ARGUMENT);
    signdoc_documents *both = loans();
    CHECK_OK(signdoc_documents_set(both, 0, "text", "t", &error), &error);
    check_refused_here(SIGNDOC_ORDER_PADES, "name", "o", both, SIGNDOC_E_CONTENT_KIND);
    signdoc_documents *was_signed = loans();
    CHECK_OK(signdoc_documents_set_allow_signed(was_signed, 0, 1, &error), &error);
    check_refused_here(SIGNDOC_ORDER_PADES, "name", "o", was_signed, SIGNDOC_E_INVALID_ARGUMENT);
    signdoc_documents *spec = loans();
    CHECK_OK(signdoc_documents_set(spec, 1, "pdf_spec", "PDFA_9Z", &error), &error);
    check_refused_here(SIGNDOC_ORDER_PADES, "name", "o", spec, SIGNDOC_E_UNSUPPORTED_PDF_SPEC);
    CHECK_INT(sandbox_seen(&sandbox, "/signdoc"), 0);
    CHECK_INT(sandbox_seen(&sandbox, "/signdoc/pades"), 0);

    signdoc_order_request *asked = signdoc_order_request_new();
    CHECK_ERROR(signdoc_order_request_set(asked, "colour", "blue", &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_ERROR(signdoc_order_request_set(asked, "timeout_seconds", "-1", &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_ERROR(signdoc_order_request_set(asked, "visual_seals", "perhaps", &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    signdoc_order_request_free(asked);
    signdoc_documents *documents = one_text();
    CHECK_ERROR(signdoc_documents_set(documents, 0, "colour", "blue", &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_ERROR(signdoc_documents_set(documents, 1, "description", "d", &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_ERROR(signdoc_documents_set_seal(documents, 0, 0, 1, 1, 1, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);

    test("a text cannot be converted");
    signdoc_results *results = NULL;
    CHECK_ERROR(signdoc_convert(client, documents, NULL, NULL, 0, NULL, &results, &error), &error,
                SIGNDOC_E_CONTENT_KIND);
    signdoc_documents_free(documents);
    signdoc_order *order = NULL;
    CHECK_ERROR(signdoc_order_from_json(client, "{}", &order, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
}

static void users_may_not_sign(void) {
    static const char *const actions[] = {"cancel", "fail"};
    static const char *const states[] = {"CANCELLED", "FAILED"};
    static const int32_t codes[] = {SIGNDOC_E_ORDER_CANCELLED, SIGNDOC_E_ORDER_FAILED};
    for (size_t i = 0; i < 2; i++) {
        test("an order that the user does not sign");
        signdoc_order *order = created(SIGNDOC_ORDER_SDO, NULL, one_text());
        signdoc_login *login = begun(order);
        signdoc_identity *identity = NULL;
        signdoc_download *download = NULL;
        char *callback = sandbox_visit(&sandbox, signdoc_login_url(login), actions[i]);
        CHECK_INT(signdoc_login_finish(client, signdoc_login_token(login), callback, 0, NULL,
                                       &identity, &error),
                  SIGNDOC_E_AUTHORIZE_ACCESS_DENIED);
        CHECK_HAS(signdoc_error_details_json(error), signdoc_order_sign_id(order));
        signdoc_error_free(error);
        error = NULL;
        check_state(order, states[i], 1);
        CHECK_ERROR(signdoc_order_download(client, order, NULL, NULL, SIGNDOC_DOWNLOAD_FORCE, 0,
                                           NULL, &download, &error),
                    &error, codes[i]);
        CHECK_OK(signdoc_order_discard(client, order, 0, NULL, i == 0 ? NULL : &download, &error),
                 &error);
        if (i > 0) {
            CHECK_TEXT(signdoc_download_order_state(download), states[i]);
            signdoc_download_free(download);
            download = NULL;
        }
        signdoc_buffer state = {NULL, 0};
        CHECK_ERROR(signdoc_order_state(client, order, 0, NULL, &state, NULL, &error), &error,
                    SIGNDOC_E_ORDER_NOT_FOUND);
        free(callback);
        signdoc_login_free(login);
        signdoc_order_free(order);
    }

    test("callbacks of others are refused");
    signdoc_order *order = created(SIGNDOC_ORDER_SDO, NULL, one_text());
    signdoc_login *login = begun(order);
    signdoc_identity *identity = NULL;
    const char *token = signdoc_login_token(login);
    CHECK_ERROR(signdoc_login_finish(client, token, BACK "?code=c&state=other", 0, NULL, &identity,
                                     &error),
                &error, SIGNDOC_E_LOGIN_STATE_MISMATCH);
    CHECK_ERROR(signdoc_login_finish(client, "nonsense", BACK "?code=c&state=s", 0, NULL, &identity,
                                     &error),
                &error, SIGNDOC_E_LOGIN_TOKEN_INVALID);
    signdoc_login *other = NULL;
    CHECK_ERROR(signdoc_login_begin(client, order, "not an address", NULL, NULL, NULL, 0, NULL,
                                    &other, &error),
                &error, SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_OK(signdoc_client_set_clock_offset(client, 91000, &error), &error);
    CHECK_INT(signdoc_order_expires_in_ms(order), 0);
    CHECK_ERROR(signdoc_login_begin(client, order, BACK, NULL, NULL, NULL, 0, NULL, &other, &error),
                &error, SIGNDOC_E_WINDOW_EXPIRED);
    CHECK_OK(signdoc_client_set_clock_offset(client, 0, &error), &error);

    test("a wait ends at its time limit, and when it is cancelled");
    signdoc_buffer state = {NULL, 0};
    CHECK_ERROR(signdoc_order_wait(client, order, NULL, 200, NULL, &state, NULL, &error), &error,
                SIGNDOC_E_TOTAL_TIMEOUT);
    signdoc_call *call = signdoc_call_new();
    signdoc_call_cancel(call);
    CHECK_ERROR(signdoc_order_wait(client, order, NULL, 0, call, &state, NULL, &error), &error,
                SIGNDOC_E_CANCELLED);
    CHECK(state.ptr == NULL);
    signdoc_call_free(call);
    signdoc_login_free(login);
    signdoc_order_free(order);
}

static void nothing_that_arrived_is_lost(void) {
    test("a download that breaks off keeps what arrived whole, and is recovered");
    signdoc_order *order = created(SIGNDOC_ORDER_PADES, "padesSignedPdf", loans());
    sign(order);
    sandbox_fault(&sandbox, "{\"method\":\"DELETE\",\"fault\":{\"kind\":\"cut_document\","
                            "\"document\":2,\"at\":\"middle\"}}");
    signdoc_download *download = NULL;
    signdoc_buffer told = {NULL, 0};
    char *folder = new_folder();
    CHECK_INT(signdoc_order_download(client, order, folder, NULL, 0, 0, NULL, &download, &error),
              SIGNDOC_E_OUTCOME_UNKNOWN);
    const signdoc_download *arrived = signdoc_error_download(error);
    const char *path = signdoc_download_path(arrived, 0, SIGNDOC_PART_DOCUMENT);
    CHECK(path != NULL && file_exists(path));
    CHECK(signdoc_download_path(arrived, 1, SIGNDOC_PART_DOCUMENT) == NULL);
    signdoc_error_free(error);
    error = NULL;
    CHECK_OK(signdoc_recover(client, folder, 0, NULL, &told, &error), &error);
    CHECK_HAS((const char *)told.ptr, "\"outcome\":\"partial\"");
    CHECK_HAS((const char *)told.ptr, "\"order_state\":\"gone\"");
    CHECK_HAS((const char *)told.ptr, signdoc_order_sign_id(order));
    signdoc_buffer_free(&told);
    CHECK_OK(signdoc_recover(NULL, folder, 0, NULL, &told, NULL), &error);
    CHECK_HAS((const char *)told.ptr, "\"order_state\":null");
    signdoc_buffer_free(&told);
    CHECK_ERROR(signdoc_recover(NULL, "/nowhere/at/all", 0, NULL, &told, &error), &error,
                SIGNDOC_E_JOURNAL_FAILED);
    signdoc_order_free(order);
    free(folder);
}

static signdoc_call *ended;

/* Ends the call as soon as something of the results has come. */
static int32_t end_when_it_comes(void *context, uint64_t sent, uint64_t to_send, uint64_t received) {
    (void)context;
    (void)sent;
    (void)to_send;
    if (received > 0) {
        signdoc_call_cancel(ended);
    }
    return 0;
}

/* The only folder in a folder; to be freed. */
static char *only_folder_in(const char *folder) {
    char *found = NULL;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] != '.') {
            CHECK(found == NULL);
            found = path_in(folder, entry->d_name);
        }
    }
    CHECK(entries != NULL && found != NULL);
    closedir(entries);
    return found;
}

/* Into a folder, or into memory where `folder` is NULL. */
static void cancel_a_download(const signdoc_client *own, const char *folder) {
    signdoc_order *order = created(SIGNDOC_ORDER_PADES, "padesSignedPdf", loans());
    sign(order);
    sandbox_fault(&sandbox, "{\"method\":\"DELETE\",\"fault\":{\"kind\":\"slow\","
                            "\"step_bytes\":1024,\"pause_ms\":100}}");
    signdoc_download *download = NULL;
    ended = signdoc_call_new();
    CHECK_OK(signdoc_call_set_progress(ended, end_when_it_comes, NULL, &error), &error);
    CHECK_INT(signdoc_order_download(own, order, folder, NULL, 0, 0, ended, &download, &error),
              SIGNDOC_E_RECEPTION_CONTINUES);
    CHECK(download == NULL);
    CHECK_INT(signdoc_error_retryable(error), 0);
    CHECK_HAS(signdoc_error_message(error), "still being received");
    CHECK_HAS(signdoc_error_details_json(error), folder == NULL ? "reception" : folder);
    signdoc_error_free(error);
    error = NULL;
    CHECK_INT(signdoc_downloads_receiving(), 1);
    CHECK_INT(signdoc_downloads_finish(1), 1);
    CHECK_INT(signdoc_downloads_finish(0), 0);
    CHECK_INT(signdoc_downloads_receiving(), 0);
    signdoc_call_free(ended);
    signdoc_order_free(order);
}

static void cancelled_downloads_are_received(void) {
    test("a download that is cancelled is received all the same");
    char *folder = new_folder();
    cancel_a_download(client, folder);
    char *path = path_in(folder, "loan-agreement.pdf");
    CHECK(file_exists(path));
    free(path);
    free(folder);

    /* What went to memory is put into the fallback folder, to be recovered. */
    folder = new_folder();
    signdoc_options *options = sandbox_options(&sandbox);
    signdoc_client *own = NULL;
    signdoc_buffer told = {NULL, 0};
    CHECK_OK(signdoc_options_set(options, "fallback_folder", folder, &error), &error);
    CHECK_OK(signdoc_client_new(options, &own, &error), &error);
    cancel_a_download(own, NULL);
    path = only_folder_in(folder);
    CHECK_OK(signdoc_recover(NULL, path, 0, NULL, &told, &error), &error);
    CHECK_HAS((const char *)told.ptr, "\"outcome\":\"complete\"");
    signdoc_buffer_free(&told);
    signdoc_client_free(own);
    signdoc_options_free(options);
    free(path);
    free(folder);
}

int main(void) {
    sandbox = sandbox_of("production");
    client = sandbox_client(&sandbox);
    pdfs_are_signed();
    objects_are_signed();
    wrong_orders_are_refused_here();
    users_may_not_sign();
    nothing_that_arrived_is_lost();
    cancelled_downloads_are_received();
    signdoc_client_free(client);
    CHECK_INT(signdoc_stopped_panics(), 0);
    return tests_end();
}
