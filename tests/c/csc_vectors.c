/* The cases of tests/vectors/csc.json through the C face. */
#include "cases.h"

#define BACK "https://shop.example/callback"

/* What one case needs while it runs. */
struct run {
    const cJSON *spec;
    const char *id;
    struct sandbox sandbox;
    signdoc_client *client;
    signdoc_csc_session *session;
};

static void failed(const struct run *run, const char *what, const cJSON *wanted, const char *actual) {
    char *shown = wanted == NULL ? NULL : cJSON_PrintUnformatted(wanted);
    printf("%s: %s: wanted %s, got %s\n", run->id, what, shown == NULL ? "nothing" : shown, actual);
    free(shown);
    CHECK(!"the case came out otherwise");
}

static void set_up(struct run *run) {
    signdoc_error *error = NULL;
    run->sandbox = sandbox_for(run->spec);
    signdoc_options *options = sandbox_options(&run->sandbox);
    CHECK_OK(signdoc_options_set(options, "max_retries", "0", &error), &error);
    CHECK_OK(set_options(options, run->spec, &run->sandbox, &error), &error);
    CHECK_OK(signdoc_client_new(options, &run->client, &error), &error);
    signdoc_options_free(options);
}

static int32_t log_in(struct run *run, signdoc_error **error) {
    const char *action = text_at(run->spec, "action");
    signdoc_login *login = NULL;
    int32_t code = signdoc_csc_begin(run->client, BACK, NULL, &login, error);
    if (code != SIGNDOC_OK) {
        return code;
    }
    char *callback =
        sandbox_visit(&run->sandbox, signdoc_login_url(login), action == NULL ? "sign" : action);
    callback = came_back(callback, run->spec);
    for (int i = 0; code == SIGNDOC_OK && i < number_at(run->spec, "finish", 1); i++) {
        signdoc_csc_session_free(run->session);
        run->session = NULL;
        code = signdoc_csc_finish(run->client, signdoc_login_token(login), callback, 0, NULL,
                                  &run->session, error);
    }
    free(callback);
    signdoc_login_free(login);
    return code;
}

static int32_t set_choices(signdoc_csc_request *request, const cJSON *sign, signdoc_error **error) {
    static const char *const choices[] = {"hash_algorithm", "credential_id", "padding",
                                          "description"};
    int32_t code = SIGNDOC_OK;
    for (size_t i = 0; code == SIGNDOC_OK && i < sizeof choices / sizeof *choices; i++) {
        const char *value = text_at(sign, choices[i]);
        if (value != NULL) {
            code = signdoc_csc_request_set(request, choices[i], value, error);
        }
    }
    return code;
}

static size_t length_of(const cJSON *sign) {
    const char *name = text_at(sign, "hash_algorithm");
    int usual = 32;
    if (name != NULL && strcmp(name, "sha384") == 0) {
        usual = 48;
    } else if (name != NULL && strcmp(name, "sha512") == 0) {
        usual = 64;
    }
    return (size_t)number_at(sign, "length", usual);
}

/* The digests are all different; their content does not matter. */
static int32_t sign_hashes(struct run *run, const cJSON *sign, size_t *signatures,
                           signdoc_error **error) {
    size_t count = (size_t)number_at(sign, "count", 0), length = length_of(sign);
    unsigned char *hashes = malloc(count * length + 1);
    signdoc_csc_signed *made = NULL;
    signdoc_csc_request *request = signdoc_csc_request_new();
    for (size_t i = 0; i < count; i++) {
        memset(hashes + i * length, (int)i + 1, length);
    }
    int32_t code = set_choices(request, sign, error);
    if (code == SIGNDOC_OK) {
        code = signdoc_csc_sign_hashes(run->client, run->session, hashes, count, length, request, 0,
                                       NULL, &made, error);
    }
    *signatures = signdoc_csc_signed_count(made);
    for (size_t i = 0; i < *signatures; i++) {
        CHECK(signdoc_csc_signed_data(made, i).len >= 64);
    }
    signdoc_csc_signed_free(made);
    signdoc_csc_request_free(request);
    free(hashes);
    return code;
}

/* Moves the clock, and signs where something is to be signed. */
static int32_t take(struct run *run, const cJSON *step, size_t *signatures, signdoc_error **error) {
    const cJSON *sign = at(step, "sign");
    if (at(step, "advance") != NULL) {
        char change[64];
        snprintf(change, sizeof change, "{\"advance_seconds\":%d}", number_at(step, "advance", 0));
        free(sandbox_control(&run->sandbox, "POST", "/_sandbox/clock", change));
    }
    return sign == NULL ? SIGNDOC_OK : sign_hashes(run, sign, signatures, error);
}

static void check_each(const struct run *run, const cJSON *wanted, const cJSON *actual,
                       const char *shown) {
    const cJSON *one;
    cJSON_ArrayForEach(one, wanted) {
        const cJSON *found = at(actual, one->string);
        CHECK(1);
        if (found == NULL ? !cJSON_IsNull(one) : !cJSON_Compare(one, found, 1)) {
            failed(run, one->string, one, shown);
        }
    }
}

static void check_failure(const struct run *run, const cJSON *expect, const signdoc_error *error) {
    const cJSON *wanted = at(expect, "error"), *part;
    const char *shown = signdoc_error_json(error);
    if (wanted == NULL) {
        failed(run, "error", NULL, shown);
        return;
    }
    cJSON *json = cJSON_Parse(shown);
    check_each(run, wanted, json, shown);
    check_each(run, at(expect, "details"), at(json, "details"), shown);
    cJSON_ArrayForEach(part, at(expect, "message")) {
        CHECK_HAS(signdoc_error_message(error), cJSON_GetStringValue(part));
    }
    if (at(expect, "reference") != NULL) {
        CHECK_INT(signdoc_error_reference(error) != NULL, cJSON_IsTrue(at(expect, "reference")));
    }
    /* The typed getters say what the JSON view says. */
    CHECK_INT(signdoc_error_code(error), at(json, "code")->valueint);
    CHECK_TEXT(signdoc_error_name(error), text_at(json, "name"));
    CHECK_TEXT(signdoc_error_category(error), text_at(json, "category"));
    CHECK_TEXT(signdoc_error_origin(error), text_at(json, "origin"));
    CHECK_INT(signdoc_error_http_status(error), number_at(json, "http_status", 0));
    CHECK_INT(signdoc_error_retryable(error), cJSON_IsTrue(at(json, "retryable")));
    cJSON_Delete(json);
}

/* What every case counts; other requests only where it names them. */
static int counts(const cJSON *wanted, const char *request) {
    static const char credentials[] = "POST /csc/v2/credentials/";
    static const char signatures[] = "POST /csc/v2/signatures/";
    return at(wanted, request) != NULL ||
           strncmp(request, credentials, sizeof credentials - 1) == 0 ||
           strncmp(request, signatures, sizeof signatures - 1) == 0;
}

static void count(cJSON *counted, const char *request, int more) {
    int before = number_at(counted, request, 0);
    cJSON_DeleteItemFromObjectCaseSensitive(counted, request);
    cJSON_AddNumberToObject(counted, request, before + more);
}

static void check_requests(const struct run *run, const cJSON *expect) {
    const cJSON *wanted = at(expect, "requests"), *one;
    if (wanted == NULL) {
        return;
    }
    char *answer = sandbox_control(&run->sandbox, "GET", "/_sandbox/requests", "");
    cJSON *seen = cJSON_Parse(answer);
    cJSON *counted = cJSON_CreateObject();
    cJSON_ArrayForEach(one, wanted) {
        count(counted, one->string, 0);
    }
    cJSON_ArrayForEach(one, at(seen, "requests")) {
        char request[512];
        snprintf(request, sizeof request, "%s %s", text_at(one, "method"), text_at(one, "path"));
        if (counts(wanted, request)) {
            count(counted, request, 1);
        }
    }
    CHECK(1);
    if (!cJSON_Compare(wanted, counted, 1)) {
        char *shown = cJSON_PrintUnformatted(counted);
        failed(run, "requests", wanted, shown);
        free(shown);
    }
    cJSON_Delete(counted);
    cJSON_Delete(seen);
    free(answer);
}

/* Takes a step, after the login where there is none yet; its outcome must be the expected one. */
static void check(struct run *run, const cJSON *step) {
    const cJSON *expect = at(step, "expect");
    signdoc_error *error = NULL;
    size_t signatures = 0;
    int32_t code = run->session == NULL ? log_in(run, &error) : SIGNDOC_OK;
    if (code == SIGNDOC_OK) {
        code = take(run, step, &signatures, &error);
    }
    CHECK_INT(signdoc_error_code(error), code);
    if (code != SIGNDOC_OK) {
        check_failure(run, expect, error);
    } else if (at(expect, "error") != NULL) {
        failed(run, "error", at(expect, "error"), "success");
    }
    CHECK_INT(signatures, number_at(expect, "signatures", 0));
    check_requests(run, expect);
    signdoc_error_free(error);
}

static void run_case(const cJSON *spec) {
    struct run run = {.spec = spec, .id = text_at(spec, "id")};
    const cJSON *then = at(spec, "then");
    set_up(&run);
    check(&run, spec);
    if (then != NULL) {
        check(&run, then);
    }
    signdoc_csc_session_free(run.session);
    signdoc_client_free(run.client);
}

int main(int argc, char **argv) { return cases_run(argc, argv, "csc", run_case); }
