/* The credential-based interface: sessions, hashes and PDFs, and what may go wrong. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACK "https://shop.example/callback"

static struct sandbox sandbox;
static signdoc_client *client;
static signdoc_error *error;

/* 51 digests; their content does not matter. */
static unsigned char digests[51 * 32];

static signdoc_csc_session *session_for(const char *action, int32_t wanted) {
    signdoc_login *login = NULL;
    signdoc_csc_session *session = NULL;
    CHECK_OK(signdoc_csc_begin(client, BACK, NULL, &login, &error), &error);
    CHECK_HAS(signdoc_login_url(login), "/oauth2/authorize?");
    CHECK_TEXT(signdoc_login_sign_id(login), "");
    char *callback = sandbox_visit(&sandbox, signdoc_login_url(login), action);
    CHECK_INT(signdoc_csc_finish(client, signdoc_login_token(login), callback, 0, NULL, &session,
                                 &error),
              wanted);
    CHECK_INT(signdoc_error_code(error), wanted);
    signdoc_error_free(error);
    error = NULL;
    signdoc_login_free(login);
    free(callback);
    return session;
}

static signdoc_csc_session *session(void) {
    return session_for("sign", SIGNDOC_OK);
}

/* Signs as many digests; what is signed is checked by the library before it comes back. */
static void signs(signdoc_csc_session *with, size_t count, int32_t wanted) {
    signdoc_csc_signed *made = NULL;
    int32_t code =
        signdoc_csc_sign_hashes(client, with, digests, count, 32, NULL, 0, NULL, &made, &error);
    CHECK_INT(code, wanted);
    CHECK_INT(signdoc_error_code(error), wanted);
    signdoc_error_free(error);
    error = NULL;
    CHECK_INT(signdoc_csc_signed_count(made), wanted == SIGNDOC_OK ? (int)count : 0);
    signdoc_csc_signed_free(made);
}

static void hashes_are_signed_once(void) {
    test("hashes are signed once");
    signdoc_csc_session *one = session();
    signdoc_buffer listed = {NULL, 0};
    CHECK_OK(signdoc_csc_credentials_json(client, one, 0, NULL, &listed, &error), &error);
    CHECK_HAS((char *)listed.ptr, "\"credentialID\"");
    signdoc_buffer_free(&listed);
    CHECK_ERROR(signdoc_csc_credential_info_json(client, one, "another", 0, NULL, &listed, &error),
                &error, SIGNDOC_E_CSC_INVALID_CREDENTIAL_ID);

    signdoc_csc_signed *made = NULL;
    signdoc_csc_request *request = signdoc_csc_request_new();
    CHECK_OK(signdoc_csc_request_set(request, "hash_algorithm", "sha256", &error), &error);
    CHECK_OK(signdoc_csc_sign_hashes(client, one, digests, 3, 32, request, 0, NULL, &made, &error),
             &error);
    CHECK_INT(signdoc_csc_signed_count(made), 3);
    CHECK(signdoc_csc_signed_data(made, 2).len >= 64);
    CHECK_INT(signdoc_csc_signed_data(made, 3).len, 0);
    CHECK(signdoc_csc_signed_path(made, 0) == NULL);
    CHECK(signdoc_csc_signed_level(made, 0) == NULL);
    signdoc_csc_signed_free(made);
    signdoc_csc_request_free(request);

    signs(one, 1, SIGNDOC_E_CSC_TOKEN_ALREADY_USED);
    signdoc_csc_session_free(one);
    CHECK_INT(sandbox_seen(&sandbox, "/csc/v2/signatures/signHash"), 1);
}

static void wrong_input_does_not_use_the_token(void) {
    test("wrong input does not use the token");
    signdoc_csc_session *one = session();
    signdoc_csc_signed *made = NULL;
    signs(one, 0, SIGNDOC_E_CSC_INVALID_PARAMETERS);
    signs(one, 51, SIGNDOC_E_CSC_INVALID_PARAMETERS);
    CHECK_INT(signdoc_csc_sign_hashes(client, one, digests, 1, 31, NULL, 0, NULL, &made, NULL),
              SIGNDOC_E_CSC_INVALID_PARAMETERS);
    signs(one, 50, SIGNDOC_OK);
    signdoc_csc_session_free(one);

    signdoc_csc_request *request = signdoc_csc_request_new();
    CHECK_INT(signdoc_csc_request_set(request, "hash_algorithm", "md5", NULL),
              SIGNDOC_E_CSC_INVALID_HASH_ALGORITHM);
    CHECK_INT(signdoc_csc_request_set(request, "padding", "x", NULL), SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_INT(signdoc_csc_request_set(request, "nope", "x", NULL), SIGNDOC_E_INVALID_ARGUMENT);
    signdoc_csc_request_free(request);
}

static void pdfs_are_signed(void) {
    test("pdfs are signed");
    char *folder = new_folder();
    char *path = sample("loan-agreement.pdf");
    size_t size = 0;
    char *pdf = read_file(path, &size);
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_csc_request *request = signdoc_csc_request_new();
    signdoc_csc_signed *made = NULL;
    CHECK_OK(signdoc_documents_add_bytes(documents, pdf, size, "loan", &error), &error);
    CHECK_OK(signdoc_csc_request_set(request, "reason", "Loan", &error), &error);
    CHECK_OK(signdoc_csc_request_set_seal(request, 72, 700, 1, 0, 0, &error), &error);
    /* Looked over before anybody logs in. */
    CHECK_OK(
        signdoc_csc_sign_pdfs(client, NULL, documents, folder, request, 0, NULL, &made, &error),
        &error);
    CHECK_INT(signdoc_csc_signed_count(made), 0);
    signdoc_csc_signed_free(made);
    made = NULL;

    signdoc_csc_session *one = session();
    CHECK_OK(
        signdoc_csc_sign_pdfs(client, one, documents, folder, request, 0, NULL, &made, &error),
        &error);
    CHECK_HAS(signdoc_csc_signed_path(made, 0), "loan.pdf");
    CHECK_HAS(signdoc_csc_signed_level(made, 0), "B-");
    CHECK_HAS(signdoc_csc_signed_json(made), "\"level\"");
    size_t signed_size = 0;
    char *signed_pdf = read_file(signdoc_csc_signed_path(made, 0), &signed_size);
    CHECK(signed_size > size && memcmp(signed_pdf, pdf, size) == 0);
    free(signed_pdf);
    signdoc_csc_signed_free(made);
    made = NULL;
    signdoc_csc_session_free(one);

    one = session();
    CHECK_INT(signdoc_csc_sign_pdfs(client, one, documents, folder, request, 0, NULL, &made, NULL),
              SIGNDOC_E_DESTINATION_EXISTS);
    CHECK_OK(signdoc_csc_sign_pdfs(client, one, documents, NULL, request, 0, NULL, &made, &error),
             &error);
    CHECK(signdoc_csc_signed_data(made, 0).len > size);
    signdoc_csc_signed_free(made);
    signdoc_csc_session_free(one);
    signdoc_csc_request_free(request);
    signdoc_documents_free(documents);
    free(pdf);
    free(path);
    free(folder);
}

static void errors_of_the_interface_arrive(void) {
    test("errors of the interface arrive");
    signdoc_csc_session_free(session_for("cancel", SIGNDOC_E_AUTHORIZE_ACCESS_DENIED));
    signdoc_csc_session *one = session();
    sandbox_fault(&sandbox, "{\"path\":\"/csc/v2/credentials/list\",\"fault\":{\"kind\":"
                            "\"csc_error\",\"code\":\"credential_locked\"}}");
    signs(one, 1, SIGNDOC_E_CSC_CREDENTIAL_LOCKED);
    signs(one, 1, SIGNDOC_E_CSC_SESSION_SPENT);
    signdoc_csc_session_free(one);

    one = session();
    sandbox_fault(&sandbox, "{\"path\":\"/csc/v2/signatures/signHash\",\"fault\":{\"kind\":"
                            "\"csc\",\"change\":\"other_hash\"}}");
    signs(one, 1, SIGNDOC_E_CSC_SIGNATURE_MISMATCH);
    signdoc_csc_session_free(one);

    one = session();
    sandbox_fault(&sandbox, "{\"path\":\"/csc/v2/signatures/signHash\",\"fault\":{\"kind\":"
                            "\"reset\",\"when\":\"after_work\"}}");
    signs(one, 1, SIGNDOC_E_OUTCOME_UNKNOWN);
    signdoc_csc_session_free(one);
}

static void the_interface_tells_what_it_is(void) {
    test("the interface tells what it is");
    signdoc_buffer info = {NULL, 0};
    CHECK_OK(signdoc_csc_info_json(client, 0, NULL, &info, &error), &error);
    CHECK_HAS((char *)info.ptr, "credentials/list");
    signdoc_buffer_free(&info);
}

int main(void) {
    memset(digests, 7, sizeof digests);
    sandbox = sandbox_of("production");
    client = sandbox_client_once(&sandbox);
    the_interface_tells_what_it_is();
    hashes_are_signed_once();
    wrong_input_does_not_use_the_token();
    pdfs_are_signed();
    errors_of_the_interface_arrive();
    signdoc_client_free(client);
    CHECK_INT(signdoc_stopped_panics(), 0);
    return tests_end();
}
