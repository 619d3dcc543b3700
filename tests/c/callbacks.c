/* Functions of the caller's: documents that they read, results that they take, and what they are
 * told of a call. All of them run on the thread that makes the call. */
#include "harness.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PDF "%PDF-1.4 not much"
#define CONVERTED "%PDF-1.4 ok"
#define ITEM                                                                                       \
    "{\"conversionResult\":{\"converted\":true},\"convertedDocument\":\"JVBERi0xLjQgb2s=\"}"
#define FIVE ITEM "," ITEM "," ITEM "," ITEM "," ITEM
#define ANSWER(items)                                                                              \
    "{\"path\":\"" PATH_CONVERT "\",\"times\":null,"                                               \
    "\"fault\":{\"kind\":\"status\",\"status\":200,\"json\":[" items "]}}"

enum { PACK = 15 };

static struct sandbox sandbox;
static signdoc_error *error;
static pthread_t own;

/* What a read function works with. */
struct source {
    const char *bytes;
    size_t size;
    size_t at;
    size_t step;
    int calls;
    /* What it gives instead of more bytes, once there are none; 0 is the end. */
    int64_t last;
    signdoc_call *cancels;
};

static struct source source_of(const char *bytes, size_t size) {
    struct source source;
    memset(&source, 0, sizeof source);
    source.bytes = bytes;
    source.size = size;
    source.step = size;
    return source;
}

static int64_t read_next(void *context, void *buffer, size_t room) {
    struct source *source = context;
    CHECK(pthread_equal(pthread_self(), own));
    source->calls++;
    signdoc_call_cancel(source->cancels);
    size_t left = source->size - source->at;
    size_t count = left < source->step ? left : source->step;
    count = count < room ? count : room;
    if (count == 0) {
        return source->last;
    }
    memcpy(buffer, source->bytes + source->at, count);
    source->at += count;
    return (int64_t)count;
}

static int64_t read_for_ever(void *context, void *buffer, size_t room) {
    *(uint64_t *)context += room;
    memset(buffer, ' ', room);
    return (int64_t)room;
}

static int64_t read_too_much(void *context, void *buffer, size_t room) {
    (void)context;
    (void)buffer;
    return (int64_t)room + 1;
}

/* What a write function works with. */
struct taken {
    char bytes[64 * 1024];
    size_t size;
    size_t complete;
    size_t last_index;
    /* The call that fails, from 1. */
    int fails_at;
    int calls;
};

static int32_t take(void *context, size_t index, const void *bytes, size_t len) {
    struct taken *taken = context;
    CHECK(pthread_equal(pthread_self(), own));
    CHECK((bytes == NULL) == (len == 0));
    taken->calls++;
    if (taken->calls == taken->fails_at) {
        return 77;
    }
    taken->last_index = index;
    if (len == 0) {
        taken->complete++;
    } else if (taken->size + len <= sizeof taken->bytes) {
        memcpy(taken->bytes + taken->size, bytes, len);
        taken->size += len;
    }
    return 0;
}

static int files_in(const char *folder) {
    int count = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return 0;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(entries);
    return count;
}

static void again(const char *rule) {
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    if (rule != NULL) {
        sandbox_fault(&sandbox, rule);
    }
}

static void documents_are_read(void) {
    test("documents are read by functions, of known and of unknown length");
    again(ANSWER(ITEM "," ITEM));
    struct source known = source_of(PDF, strlen(PDF));
    struct source unknown = known;
    unknown.step = 1;
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_results *results = NULL;
    signdoc_call *call = signdoc_call_new();
    char *folder = new_folder();
    CHECK_OK(signdoc_documents_add_reader(documents, read_next, &known, (int64_t)strlen(PDF),
                                          "known", &error),
             &error);
    CHECK_OK(signdoc_documents_add_reader(documents, read_next, &unknown, -1, NULL, &error),
             &error);
    CHECK_OK(signdoc_convert(client, documents, folder, NULL, 0, call, &results, &error), &error);
    CHECK_HAS(signdoc_results_path(results, 0), "/known.pdf");
    CHECK_HAS(signdoc_results_path(results, 1), "/document-2.pdf");
    CHECK_INT(known.at, strlen(PDF));
    CHECK_INT(unknown.at, strlen(PDF));
    CHECK_INT(unknown.calls, strlen(PDF) + 1);
    signdoc_results_free(results);

    test("what a function has read is not read again");
    CHECK_INT(signdoc_convert(client, documents, NULL, NULL, 0, NULL, &results, &error),
              SIGNDOC_E_INVALID_ARGUMENT);
    CHECK_HAS(signdoc_error_message(error), "documents[0]");
    signdoc_error_free(error);
    error = NULL;
    CHECK_INT(sandbox_seen(&sandbox, PATH_CONVERT), 1);
    signdoc_call_free(call);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
    free(folder);
}

/* A conversion of a good document and one that `function` reads; nothing is sent. */
static void check_unread(signdoc_read_fn function, void *context, int64_t len, signdoc_call *call,
                         int32_t wanted, const char *said) {
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_results *results = NULL;
    char *folder = new_folder();
    char *to = path_in(folder, "out");
    CHECK_OK(signdoc_documents_add_bytes(documents, PDF, strlen(PDF), NULL, &error), &error);
    CHECK_OK(signdoc_documents_add_reader(documents, function, context, len, NULL, &error), &error);
    CHECK_INT(signdoc_convert(client, documents, to, NULL, 0, call, &results, &error), wanted);
    CHECK_INT(signdoc_error_code(error), wanted);
    CHECK_HAS(signdoc_error_message(error), said);
    CHECK_HAS(signdoc_error_details_json(error), "\"index\":1");
    signdoc_error_free(error);
    error = NULL;
    CHECK(results == NULL);
    CHECK_INT(files_in(to), 0);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
    free(to);
    free(folder);
}

static void functions_that_cannot_read_are_told(void) {
    test("functions that cannot read are told, and nothing is sent");
    again(NULL);
    struct source source = source_of(PDF, strlen(PDF));
    source.last = -5;
    check_unread(read_next, &source, -1, NULL, SIGNDOC_E_CALLBACK_FAILED,
                 "documents[1]: the read function of the caller gave -5 after 17 bytes");
    check_unread(read_too_much, NULL, -1, NULL, SIGNDOC_E_CALLBACK_FAILED, "there was room for");
    source = source_of(PDF, strlen(PDF));
    check_unread(read_next, &source, 18, NULL, SIGNDOC_E_DOCUMENT_UNREADABLE, "gave only 17");
    source = source_of(PDF, strlen(PDF));
    check_unread(read_next, &source, 16, NULL, SIGNDOC_E_DOCUMENT_UNREADABLE, "at least 17");
    source = source_of(PDF, 0);
    check_unread(read_next, &source, -1, NULL, SIGNDOC_E_DOCUMENT_EMPTY, "is empty");
    source = source_of("GIF89a", 6);
    check_unread(read_next, &source, 6, NULL, SIGNDOC_E_NOT_A_PDF, "%PDF-");

    uint64_t given = 0;
    check_unread(read_for_ever, &given, -1, NULL, SIGNDOC_E_DOCUMENT_TOO_LARGE, "3750000");
    CHECK(given > 3750000 && given < 4000000);
    given = 0;
    check_unread(read_for_ever, &given, 3750001, NULL, SIGNDOC_E_DOCUMENT_TOO_LARGE, "3750000");
    CHECK_INT(given, 0);

    signdoc_call *call = signdoc_call_new();
    source = source_of(PDF, strlen(PDF));
    source.cancels = call;
    check_unread(read_next, &source, -1, call, SIGNDOC_E_CANCELLED, "signdoc_call_cancel");
    signdoc_call_free(call);
    CHECK_INT(sandbox_seen(&sandbox, PATH_CONVERT), 0);
}

static signdoc_documents *documents_of(size_t count) {
    signdoc_documents *documents = signdoc_documents_new();
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(signdoc_documents_add_bytes(documents, PDF, strlen(PDF), NULL, &error), &error);
    }
    return documents;
}

static signdoc_convert_options *options_with(struct taken *taken) {
    signdoc_convert_options *options = signdoc_convert_options_new();
    memset(taken, 0, sizeof *taken);
    CHECK_OK(signdoc_convert_options_set_writer(options, take, taken, &error), &error);
    return options;
}

static void results_are_handed_over(void) {
    test("results are handed to a function");
    again(ANSWER(ITEM "," ITEM));
    static struct taken taken;
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = documents_of(2);
    signdoc_convert_options *options = options_with(&taken);
    signdoc_results *results = NULL;
    CHECK_OK(signdoc_convert(client, documents, NULL, options, 0, NULL, &results, &error), &error);
    CHECK_INT(taken.complete, 2);
    CHECK_INT(taken.last_index, 1);
    CHECK_INT(taken.size, 2 * strlen(CONVERTED));
    CHECK(memcmp(taken.bytes, CONVERTED CONVERTED, taken.size) == 0);
    CHECK_INT(signdoc_results_size(results, 1), strlen(CONVERTED));
    CHECK(signdoc_results_data(results, 1).ptr == NULL);
    signdoc_results_free(results);
    results = NULL;

    test("a function that fails ends the call");
    memset(&taken, 0, sizeof taken);
    taken.fails_at = 3;
    CHECK_INT(signdoc_convert(client, documents, NULL, options, 0, NULL, &results, &error),
              SIGNDOC_E_CALLBACK_FAILED);
    CHECK_HAS(signdoc_error_message(error), "gave 77 for documents[1] after 0 bytes");
    CHECK_INT(signdoc_results_count(signdoc_error_results(error)), 2);
    signdoc_error_free(error);
    error = NULL;
    CHECK_INT(taken.complete, 1);
    CHECK_INT(taken.calls, 3);

    test("results go to a function or to a folder");
    char *folder = new_folder();
    CHECK_ERROR(signdoc_convert(client, documents, folder, options, 0, NULL, &results, &error),
                &error, SIGNDOC_E_INVALID_ARGUMENT);

    test("what arrived whole is handed over when the rest is lost");
    again("{\"path\":\"" PATH_CONVERT "\",\"times\":null,\"fault\":{\"kind\":\"status\","
          "\"status\":200,\"content_type\":\"application/json\",\"body\":"
          "\"[{\\\"conversionResult\\\":{\\\"converted\\\":true},"
          "\\\"convertedDocument\\\":\\\"JVBERi0xLjQgb2s=\\\"},{\\\"convertedDocument\\\":"
          "\\\"JVBER\"}}");
    memset(&taken, 0, sizeof taken);
    CHECK_INT(signdoc_convert(client, documents, NULL, options, 0, NULL, &results, &error),
              SIGNDOC_E_TRUNCATED_ANSWER);
    signdoc_error_free(error);
    error = NULL;
    CHECK_INT(taken.complete, 1);
    CHECK_INT(taken.size, strlen(CONVERTED));
    CHECK(results == NULL);

    signdoc_convert_options_free(options);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
    free(folder);
}

static void many_are_read_and_handed_over(void) {
    test("many documents are read and handed over, one of them not");
    again(ANSWER(FIVE "," FIVE "," FIVE));
    static struct taken taken;
    static struct source sources[2 * PACK + 1];
    size_t count = sizeof sources / sizeof *sources;
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = signdoc_documents_new();
    for (size_t i = 0; i < count; i++) {
        sources[i] = source_of(PDF, strlen(PDF));
        sources[i].last = i == 7 ? -1 : 0;
        CHECK_OK(signdoc_documents_add_reader(documents, read_next, &sources[i], -1, NULL, &error),
                 &error);
    }
    signdoc_convert_options *options = options_with(&taken);
    signdoc_results *results = NULL;
    CHECK_OK(signdoc_convert_many(client, documents, NULL, options, 0, NULL, &results, &error),
             &error);
    CHECK_INT(signdoc_results_count(results), count);
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(signdoc_results_failed(results, i), i == 7);
        CHECK_INT(signdoc_error_code(signdoc_results_failure(results, i)),
                  i == 7 ? SIGNDOC_E_CALLBACK_FAILED : SIGNDOC_OK);
    }
    CHECK_INT(taken.complete, count - 1);
    CHECK_INT(taken.size, (count - 1) * strlen(CONVERTED));
    signdoc_results_free(results);
    results = NULL;
    signdoc_documents_free(documents);

    test("a function that fails ends all of them");
    documents = documents_of(2 * PACK);
    memset(&taken, 0, sizeof taken);
    taken.fails_at = 4;
    CHECK_ERROR(signdoc_convert_many(client, documents, NULL, options, 0, NULL, &results, &error),
                &error, SIGNDOC_E_CALLBACK_FAILED);
    CHECK_INT(taken.calls, 4);
    CHECK(results == NULL);
    signdoc_convert_options_free(options);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

/* Results as they come. */
struct come {
    size_t count, bytes;
    int seen[2 * PACK];
    size_t fails_at;
};

static int32_t on_result(void *context, size_t index, const signdoc_results *result) {
    struct come *come = context;
    CHECK(pthread_equal(pthread_self(), own));
    CHECK_INT(signdoc_results_count(result), 1);
    CHECK_INT(signdoc_results_failed(result, 0), 0);
    come->bytes += signdoc_results_data(result, 0).len;
    come->seen[index]++;
    return ++come->count == come->fails_at ? 5 : 0;
}

static void results_are_told_as_they_come(void) {
    test("results are told as they come");
    again(ANSWER(FIVE "," FIVE "," FIVE));
    struct come come;
    memset(&come, 0, sizeof come);
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = documents_of(2 * PACK);
    signdoc_convert_options *options = signdoc_convert_options_new();
    signdoc_results *results = NULL;
    CHECK_OK(signdoc_convert_options_set_result(options, on_result, &come, &error), &error);
    CHECK_OK(signdoc_convert_many(client, documents, NULL, options, 0, NULL, &results, &error),
             &error);
    CHECK_INT(come.count, 2 * PACK);
    CHECK_INT(come.bytes, 2 * PACK * strlen(CONVERTED));
    for (size_t i = 0; i < 2 * PACK; i++) {
        CHECK_INT(come.seen[i], 1);
        CHECK_INT(signdoc_results_size(results, i), strlen(CONVERTED));
        CHECK(signdoc_results_data(results, i).ptr == NULL);
    }
    signdoc_results_free(results);
    results = NULL;
    memset(&come, 0, sizeof come);
    come.fails_at = 3;
    CHECK_INT(signdoc_convert_many(client, documents, NULL, options, 0, NULL, &results, &error),
              SIGNDOC_E_CALLBACK_FAILED);
    CHECK_HAS(signdoc_error_message(error), "the result function of the caller gave 5");
    signdoc_error_free(error);
    error = NULL;
    CHECK_INT(come.count, 3);
    CHECK(results == NULL);
    signdoc_convert_options_free(options);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

/* What the functions are told. */
struct told {
    int progress;
    uint64_t to_send, sent, received;
    int events, warnings, odd_ids;
    char id[32];
    /* What the functions give. */
    int32_t progress_gives, log_gives;
    signdoc_call *call, *cancels;
};

static int32_t on_progress(void *context, uint64_t to_send, uint64_t sent, uint64_t received) {
    struct told *told = context;
    uint64_t seen = 0;
    CHECK(pthread_equal(pthread_self(), own));
    CHECK(sent <= to_send);
    /* The library may be used. */
    CHECK_OK(signdoc_call_progress(told->call, NULL, NULL, &seen, NULL), &error);
    CHECK(seen >= received);
    told->progress++;
    told->to_send = to_send;
    told->sent = sent;
    told->received = received;
    signdoc_call_cancel(told->cancels);
    return told->progress_gives;
}

static int32_t on_log(void *context, int32_t level, const char *id, const char *message) {
    struct told *told = context;
    CHECK(pthread_equal(pthread_self(), own));
    CHECK(level >= SIGNDOC_LOG_DEBUG && level <= SIGNDOC_LOG_WARNING);
    CHECK(strlen(message) > 0 && strlen(id) < sizeof told->id);
    CHECK(strstr(message, sandbox.client_secret) == NULL);
    if (told->events++ == 0) {
        snprintf(told->id, sizeof told->id, "%s", id);
    }
    told->odd_ids += strcmp(told->id, id) != 0;
    told->warnings += level == SIGNDOC_LOG_WARNING;
    return told->log_gives;
}

static void follow(signdoc_call *call, struct told *told, int32_t least) {
    memset(told, 0, sizeof *told);
    told->call = call;
    CHECK_OK(signdoc_call_set_progress(call, on_progress, told, &error), &error);
    CHECK_OK(signdoc_call_set_log(call, least, on_log, told, &error), &error);
}

static void functions_are_told_of_a_call(void) {
    test("functions are told of a call");
    again(ANSWER(ITEM));
    struct told told;
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = documents_of(1);
    signdoc_results *results = NULL;
    signdoc_call *call = signdoc_call_new();
    CHECK_TEXT(signdoc_call_correlation_id(call), "");
    CHECK_ERROR(signdoc_call_set_log(call, 0, on_log, NULL, &error), &error,
                SIGNDOC_E_INVALID_ARGUMENT);
    for (int many = 0; many < 2; many++) {
        follow(call, &told, SIGNDOC_LOG_DEBUG);
        if (many) {
            CHECK_OK(signdoc_convert_many(client, documents, NULL, NULL, 0, call, &results, &error),
                     &error);
        } else {
            CHECK_OK(signdoc_convert(client, documents, NULL, NULL, 0, call, &results, &error),
                     &error);
        }
        uint64_t sent = 0;
        uint64_t received = 0;
        CHECK_OK(signdoc_call_progress(call, NULL, &sent, &received, &error), &error);
        CHECK(told.progress > 0 && told.to_send > strlen(PDF));
        CHECK(told.to_send == told.sent && told.sent == sent);
        CHECK(told.received > strlen(CONVERTED) && told.received == received);
        CHECK(told.events > 0);
        CHECK_INT(told.odd_ids, 0);
        CHECK_TEXT(signdoc_call_correlation_id(call), told.id);
        signdoc_results_free(results);
        results = NULL;
    }

    test("only what is important enough is told");
    again("{\"path\":\"" PATH_CONVERT "\",\"fault\":{\"kind\":\"status\",\"status\":503}}");
    sandbox_fault(&sandbox, ANSWER(ITEM));
    follow(call, &told, SIGNDOC_LOG_WARNING);
    CHECK_OK(signdoc_convert(client, documents, NULL, NULL, 0, call, &results, &error), &error);
    CHECK_INT(told.events, 1);
    CHECK_INT(told.warnings, 1);
    signdoc_results_free(results);
    results = NULL;

    test("nobody is told any more");
    follow(call, &told, SIGNDOC_LOG_DEBUG);
    CHECK_OK(signdoc_call_set_progress(call, NULL, NULL, &error), &error);
    CHECK_OK(signdoc_call_set_log(call, SIGNDOC_LOG_DEBUG, NULL, NULL, &error), &error);
    CHECK_OK(signdoc_convert(client, documents, NULL, NULL, 0, call, &results, &error), &error);
    CHECK_INT(told.events + told.progress, 0);
    signdoc_results_free(results);
    signdoc_call_free(call);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

static void functions_end_a_call(void) {
    test("functions that fail end a call, and no file is left");
    again("{\"path\":\"" PATH_CONVERT "\",\"times\":null,\"fault\":{\"kind\":\"stall\"}}");
    struct told told;
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = documents_of(1);
    signdoc_results *results = NULL;
    char *folder = new_folder();
    for (int many = 0; many < 2; many++) {
        for (int kind = 0; kind < 3; kind++) {
            signdoc_call *call = signdoc_call_new();
            follow(call, &told, SIGNDOC_LOG_DEBUG);
            told.progress_gives = kind == 0 ? 9 : 0;
            told.log_gives = kind == 1 ? -9 : 0;
            told.cancels = kind == 2 ? call : NULL;
            int32_t code =
                many ? signdoc_convert_many(client, documents, folder, NULL, 0, call, &results,
                                            &error)
                     : signdoc_convert(client, documents, folder, NULL, 0, call, &results, &error);
            CHECK_INT(code, kind == 2 ? SIGNDOC_E_CANCELLED : SIGNDOC_E_CALLBACK_FAILED);
            CHECK_INT(signdoc_error_code(error), code);
            if (kind < 2) {
                CHECK_HAS(signdoc_error_message(error), kind == 0 ? "progress function" : "log");
                CHECK_HAS(signdoc_error_message(error), kind == 0 ? "gave 9" : "gave -9");
            }
            signdoc_error_free(error);
            error = NULL;
            CHECK_INT(files_in(folder), 0);
            signdoc_call_free(call);
        }
    }
    CHECK(results == NULL);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
    free(folder);
}

static void the_last_answer_is_told(void) {
    test("the last answer is told as it came");
    again("{\"path\":\"" PATH_CONVERT "\",\"fault\":{\"kind\":\"status\",\"status\":503,"
          "\"headers\":{\"Retry-After\":\"7\",\"Set-Cookie\":\"canary=1\"},"
          "\"body\":\"down for a while\"}}");
    signdoc_client *client = sandbox_client_once(&sandbox);
    signdoc_documents *documents = documents_of(1);
    signdoc_results *results = NULL;
    signdoc_answer *answer = NULL;
    signdoc_call *call = signdoc_call_new();
    CHECK_OK(signdoc_call_last_answer(call, &answer, &error), &error);
    CHECK(answer == NULL);
    CHECK_ERROR(signdoc_convert(client, documents, NULL, NULL, 0, call, &results, &error), &error,
                SIGNDOC_E_SERVICE_UNAVAILABLE);
    CHECK_OK(signdoc_call_last_answer(call, &answer, &error), &error);
    CHECK_INT(signdoc_answer_status(answer), 503);
    CHECK_TEXT(signdoc_answer_body(answer), "down for a while");
    int found = 0;
    for (size_t i = 0; i < signdoc_answer_header_count(answer); i++) {
        found += strcmp(signdoc_answer_header_name(answer, i), "retry-after") == 0 &&
                 strcmp(signdoc_answer_header_value(answer, i), "7") == 0;
    }
    CHECK_INT(found, 1);
    CHECK(signdoc_answer_header_name(answer, 1000) == NULL);
    CHECK(signdoc_answer_header_value(answer, 1000) == NULL);
    CHECK_HAS(signdoc_answer_json(answer), "[\"retry-after\",\"7\"]");
    CHECK(strstr(signdoc_answer_json(answer), "canary") == NULL);
    signdoc_answer_free(answer);

    test("an answer that carries documents has no text");
    again(ANSWER(ITEM));
    CHECK_OK(signdoc_convert(client, documents, NULL, NULL, 0, call, &results, &error), &error);
    CHECK_OK(signdoc_call_last_answer(call, &answer, &error), &error);
    CHECK_INT(signdoc_answer_status(answer), 200);
    CHECK(signdoc_answer_body(answer) == NULL);
    signdoc_answer_free(answer);
    signdoc_results_free(results);
    signdoc_call_free(call);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

static void real_documents_go_through_functions(void) {
    test("real documents go through functions");
    if (!has_converter()) {
        left_out("real documents through functions", "the sandbox has no converter");
        return;
    }
    again(NULL);
    static struct taken taken;
    size_t size;
    char *path = sample("loan-agreement.pdf");
    char *bytes = read_file(path, &size);
    struct source source = source_of(bytes, size);
    source.step = 1000;
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_convert_options *options = options_with(&taken);
    signdoc_results *results = NULL;
    CHECK_OK(signdoc_documents_add_reader(documents, read_next, &source, (int64_t)size, NULL,
                                          &error),
             &error);
    CHECK_OK(signdoc_convert(client, documents, NULL, options, 0, NULL, &results, &error), &error);
    CHECK_INT(signdoc_results_converted(results, 0), 1);
    CHECK_INT(taken.complete, 1);
    CHECK(taken.size > 1000 && memcmp(taken.bytes, "%PDF-", 5) == 0);
    signdoc_results_free(results);
    signdoc_convert_options_free(options);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
    free(bytes);
    free(path);
}

int main(void) {
    own = pthread_self();
    sandbox = sandbox_of("production");
    documents_are_read();
    functions_that_cannot_read_are_told();
    results_are_handed_over();
    many_are_read_and_handed_over();
    results_are_told_as_they_come();
    functions_are_told_of_a_call();
    functions_end_a_call();
    the_last_answer_is_told();
    real_documents_go_through_functions();
    CHECK_INT(signdoc_stopped_panics(), 0);
    return tests_end();
}
