/* The cases of tests/vectors/orders.json through the C face; the README beside them explains them. */
#include "cases.h"

static struct sandbox sandbox;
static signdoc_client *client;
static signdoc_error *error;

/* What one case has come to. */
struct outcome {
    int32_t code;
    signdoc_order *order;
    signdoc_download *download;
    signdoc_identity *identity;
    signdoc_buffer state;
};

/* A value as the setters want it: a text, a number or a truth; texts with commas between. To be
 * freed. */
static char *value_of(const cJSON *value) {
    char *text = calloc(1, 4096);
    const cJSON *one;
    if (cJSON_IsArray(value)) {
        cJSON_ArrayForEach(one, value) {
            strcat(text, text[0] == '\0' ? "" : ",");
            strcat(text, one->valuestring);
        }
    } else if (cJSON_IsString(value)) {
        snprintf(text, 4096, "%s", value->valuestring);
    } else if (cJSON_IsBool(value)) {
        snprintf(text, 4096, "%s", cJSON_IsTrue(value) ? "true" : "false");
    } else {
        snprintf(text, 4096, "%d", value->valueint);
    }
    return text;
}

static void set_seal(signdoc_documents *documents, size_t index, int32_t whose, const cJSON *seal) {
    if (seal != NULL) {
        CHECK_OK(signdoc_documents_set_seal(documents, index, whose, at(seal, "x")->valuedouble,
                                            at(seal, "y")->valuedouble, at(seal, "page")->valueint,
                                            &error),
                 &error);
    }
}

static signdoc_documents *documents_of(const cJSON *specs) {
    static const char *const set[] = {"text",        "xml",      "xls",
                                      "description", "pdf_spec", "end_user_only"};
    const cJSON *spec;
    size_t index = 0;
    signdoc_documents *documents = signdoc_documents_new();
    cJSON_ArrayForEach(spec, specs) {
        const char *bytes = text_at(spec, "bytes");
        if (text_at(spec, "sample") != NULL) {
            char *path = sample(text_at(spec, "sample"));
            CHECK_OK(signdoc_documents_add_path(documents, path, &error), &error);
            free(path);
        } else if (bytes != NULL) {
            CHECK_OK(signdoc_documents_add_bytes(documents, bytes, strlen(bytes), NULL, &error),
                     &error);
        } else {
            CHECK_OK(signdoc_documents_add_text(documents, NULL, &error), &error);
        }
        for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
            if (at(spec, set[i]) != NULL) {
                char *value = value_of(at(spec, set[i]));
                CHECK_OK(signdoc_documents_set(documents, index, set[i], value, &error), &error);
                free(value);
            }
        }
        set_seal(documents, index, SIGNDOC_SEAL_MERCHANT, at(spec, "merchant_seal"));
        set_seal(documents, index, SIGNDOC_SEAL_END_USER, at(spec, "end_user_seal"));
        index++;
    }
    return documents;
}

static void create(const cJSON *spec, int32_t kind, struct outcome *outcome) {
    const cJSON *order = at(spec, "order");
    const cJSON *property;
    signdoc_order_request *request = signdoc_order_request_new();
    signdoc_documents *documents = documents_of(at(order, "documents"));
    cJSON_ArrayForEach(property, order) {
        if (strcmp(property->string, "documents") != 0) {
            char *value = value_of(property);
            CHECK_OK(signdoc_order_request_set(request, property->string, value, &error), &error);
            free(value);
        }
    }
    outcome->code = signdoc_order_create(client, kind, request, documents, 0, NULL,
                                         &outcome->order, &error);
    signdoc_documents_free(documents);
    signdoc_order_request_free(request);
}

static void act(const char *sign_id, const char *user) {
    char path[256];
    snprintf(path, sizeof path, "/_sandbox/orders/%s/%s", sign_id, user);
    free(sandbox_control(&sandbox, "POST", path, ""));
}

static void advance(int seconds) {
    char body[64];
    snprintf(body, sizeof body, "{\"advance_seconds\":%d}", seconds);
    free(sandbox_control(&sandbox, "POST", "/_sandbox/clock", body));
    CHECK_OK(signdoc_client_set_clock_offset(client, (int64_t)seconds * 1000, &error), &error);
}

static void login(const cJSON *spec, const signdoc_order *order, struct outcome *outcome) {
    signdoc_login *begun = NULL;
    outcome->code = signdoc_login_begin(client, order, text_at(spec, "redirect_uri"), NULL, NULL,
                                        NULL, 0, NULL, &begun, &error);
    if (outcome->code == SIGNDOC_OK) {
        char *came =
            sandbox_visit(&sandbox, signdoc_login_url(begun), text_at(spec, "action"));
        came = came_back(came, spec);
        outcome->code = signdoc_login_finish(client, signdoc_login_token(begun), came, 0, NULL,
                                             &outcome->identity, &error);
        free(came);
    }
    signdoc_login_free(begun);
}

static void go_on(const cJSON *spec, int32_t kind, struct outcome *outcome) {
    const char *sign_id = signdoc_order_sign_id(outcome->order);
    signdoc_order *named = NULL;
    if (at(spec, "user") != NULL) {
        act(sign_id, text_at(spec, "user"));
    }
    if (at(spec, "advance") != NULL) {
        advance(at(spec, "advance")->valueint);
    }
    if (at(spec, "by") != NULL) {
        CHECK_OK(signdoc_order_of(kind, sign_id, &named, &error), &error);
    }
    const signdoc_order *order = named == NULL ? outcome->order : named;
    char *until = at(spec, "until") == NULL ? NULL : value_of(at(spec, "until"));
    char *folder = new_folder();
    if (is(spec, "then", "state")) {
        outcome->code =
            signdoc_order_state(client, order, 0, NULL, &outcome->state, NULL, &error);
    } else if (is(spec, "then", "wait")) {
        outcome->code =
            signdoc_order_wait(client, order, until, 0, NULL, &outcome->state, NULL, &error);
    } else if (is(spec, "then", "download")) {
        const char *to = cJSON_IsTrue(at(spec, "memory")) ? NULL : folder;
        uint32_t flags = cJSON_IsTrue(at(spec, "force")) ? SIGNDOC_DOWNLOAD_FORCE : 0;
        outcome->code = signdoc_order_download(client, order, to, NULL, flags, 0, NULL,
                                               &outcome->download, &error);
    } else if (is(spec, "then", "discard")) {
        outcome->code = signdoc_order_discard(client, order, 0, NULL, &outcome->download, &error);
    } else if (is(spec, "then", "login")) {
        login(spec, order, outcome);
    } else {
        CHECK(at(spec, "then") == NULL);
    }
    signdoc_order_free(named);
    free(until);
    free(folder);
}

static void check_error_of(const cJSON *expect, int32_t code) {
    const cJSON *part;
    const cJSON *wanted = at(expect, "error");
    CHECK_INT(code, wanted == NULL ? SIGNDOC_OK : at(wanted, "code")->valueint);
    if (wanted == NULL) {
        CHECK_TEXT(signdoc_error_message(error), "");
        return;
    }
    cJSON *told = cJSON_Parse(signdoc_error_json(error));
    check_fields(wanted, told);
    check_fields(at(expect, "details"), at(told, "details"));
    cJSON_ArrayForEach(part, at(expect, "message")) {
        CHECK_HAS(signdoc_error_message(error), part->valuestring);
    }
    cJSON_Delete(told);
}

static void check_conversions(const cJSON *expect, const struct outcome *outcome) {
    const cJSON *wanted;
    size_t position = 0;
    const signdoc_results *results = outcome->order == NULL
                                         ? signdoc_error_results(error)
                                         : signdoc_order_conversions(outcome->order);
    if (at(expect, "conversions") == NULL) {
        return;
    }
    CHECK_INT(signdoc_results_count(results), cJSON_GetArraySize(at(expect, "conversions")));
    cJSON *told = cJSON_Parse(signdoc_results_json(results));
    cJSON_ArrayForEach(wanted, at(expect, "conversions")) {
        const cJSON *found = cJSON_GetArrayItem(told, (int)position);
        const cJSON *name;
        size_t reason = 0;
        CHECK_INT(at(found, "index")->valueint, at(wanted, "index")->valueint);
        CHECK_INT(signdoc_results_converted(results, position), cJSON_IsTrue(at(wanted, "converted")));
        cJSON_ArrayForEach(name, at(wanted, "errors")) {
            CHECK_TEXT(signdoc_results_error_name(results, position, reason++), name->valuestring);
        }
        position++;
    }
    cJSON_Delete(told);
}

static void check_download(const cJSON *expect, const struct outcome *outcome) {
    const cJSON *wanted;
    int position = 0;
    const signdoc_download *download =
        outcome->download == NULL ? signdoc_error_download(error) : outcome->download;
    if (at(expect, "order_name") != NULL) {
        CHECK_TEXT(signdoc_download_order_name(download), text_at(expect, "order_name"));
        CHECK_TEXT(signdoc_download_order_state(download), text_at(expect, "order_state"));
    }
    if (at(expect, "documents") == NULL) {
        return;
    }
    cJSON *told = cJSON_Parse(signdoc_download_json(download));
    CHECK_INT(signdoc_download_count(download), cJSON_GetArraySize(at(expect, "documents")));
    cJSON_ArrayForEach(wanted, at(expect, "documents")) {
        check_fields(wanted, cJSON_GetArrayItem(at(told, "documents"), position++));
    }
    cJSON_Delete(told);
}

/* What a failure has kept: the order, and the answer that could not be taken apart. */
static void check_kept(const cJSON *expect) {
    if (at(expect, "error_order") != NULL) {
        const signdoc_order *order = signdoc_error_order(error);
        CHECK_INT(order != NULL, cJSON_IsTrue(at(expect, "error_order")));
        CHECK(order == NULL || *signdoc_order_sign_id(order) != '\0');
    }
    if (at(expect, "raw_answer") != NULL) {
        cJSON *details = cJSON_Parse(signdoc_error_details_json(error));
        const char *path = text_at(details, "raw_answer");
        int is_kept = signdoc_error_raw_answer(error).len > 0 || (path != NULL && file_exists(path));
        CHECK_INT(is_kept, cJSON_IsTrue(at(expect, "raw_answer")));
        cJSON_Delete(details);
    }
}

/* The request that created the order, and how many requests of each kind there were. */
static void check_requests(const cJSON *expect, const char *path) {
    const cJSON *one;
    const cJSON *wanted;
    const cJSON *sent = NULL;
    int total = 0;
    char *text = sandbox_control(&sandbox, "GET", "/_sandbox/requests", "");
    cJSON *told = cJSON_Parse(text);
    cJSON_ArrayForEach(one, at(told, "requests")) {
        int service = strncmp(text_at(one, "path"), "/signdoc", 8) == 0;
        total += service;
        if (service && is(one, "method", "POST") && is(one, "path", path)) {
            sent = at(one, "body");
        }
    }
    cJSON_ArrayForEach(wanted, at(expect, "requests")) {
        int count = 0;
        cJSON_ArrayForEach(one, at(told, "requests")) {
            char key[256];
            snprintf(key, sizeof key, "%s %s", text_at(one, "method"), text_at(one, "path"));
            count += strcmp(key, wanted->string) == 0;
        }
        CHECK_INT(count, wanted->valueint);
        total -= count;
    }
    if (at(expect, "requests") != NULL) {
        CHECK_INT(total, 0);
    }
    check_sent_documents(expect, &sandbox, path);
    if (at(expect, "sent") != NULL) {
        cJSON *whole = cJSON_Duplicate(sent, 1);
        cJSON_DeleteItemFromObjectCaseSensitive(whole, "documents");
        check_fields(at(expect, "sent"), whole);
        CHECK(cJSON_Compare(whole, at(expect, "sent"), 1));
        cJSON_Delete(whole);
    }
    cJSON_Delete(told);
    free(text);
}

static void run(const cJSON *spec) {
    const cJSON *expect = at(spec, "expect");
    int32_t kind = is(spec, "kind", "sdo") ? SIGNDOC_ORDER_SDO : SIGNDOC_ORDER_PADES;
    struct outcome outcome;
    memset(&outcome, 0, sizeof outcome);
    sandbox = sandbox_for(spec);
    signdoc_options *options = sandbox_options(&sandbox);
    CHECK_OK(set_options(options, spec, &sandbox, &error), &error);
    CHECK_OK(signdoc_client_new(options, &client, &error), &error);
    signdoc_options_free(options);
    create(spec, kind, &outcome);
    if (outcome.code == SIGNDOC_OK) {
        go_on(spec, kind, &outcome);
    }
    check_error_of(expect, outcome.code);
    if (at(expect, "state") != NULL) {
        CHECK_TEXT((const char *)outcome.state.ptr, text_at(expect, "state"));
    }
    if (at(expect, "identity") != NULL) {
        CHECK_TEXT(signdoc_identity_sign_id(outcome.identity), signdoc_order_sign_id(outcome.order));
        CHECK(*signdoc_identity_subject(outcome.identity) != '\0');
    }
    check_conversions(expect, &outcome);
    check_download(expect, &outcome);
    check_kept(expect);
    check_requests(expect, kind == SIGNDOC_ORDER_SDO ? "/signdoc" : "/signdoc/pades");
    signdoc_error_free(error);
    error = NULL;
    signdoc_buffer_free(&outcome.state);
    signdoc_identity_free(outcome.identity);
    signdoc_download_free(outcome.download);
    signdoc_order_free(outcome.order);
    signdoc_client_free(client);
}

int main(int argc, char **argv) { return cases_run(argc, argv, "orders", run); }
