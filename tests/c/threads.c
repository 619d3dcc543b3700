/* Many threads, one client: every call is right, and one token serves them all. */
#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16, CALLS = 4 };

static struct sandbox sandbox;
static pthread_barrier_t together;

struct worker {
    int number;
    const signdoc_client *client;
    const signdoc_convert_options *options;
    const char *folder;
    pthread_t thread;
};

/* Each thread has documents of its own length, so that mixed-up results would show. */
static void convert_own(struct worker *worker) {
    signdoc_error *error = NULL;
    signdoc_results *results = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    char pdf[64];
    char name[32];
    memset(pdf, ' ', sizeof pdf);
    memcpy(pdf, "%PDF-1.4", 8);
    for (int i = 0; i < CALLS; i++) {
        snprintf(name, sizeof name, "thread-%d-%d", worker->number, i);
        CHECK_OK(signdoc_documents_add_bytes(documents, pdf, (size_t)(16 + worker->number), name,
                                             &error),
                 &error);
        CHECK_OK(signdoc_convert(worker->client, documents, worker->folder, worker->options, 0,
                                 NULL, &results, &error),
                 &error);
        CHECK_INT(signdoc_results_count(results), i + 1);
        CHECK_INT(signdoc_results_error_code(results, (size_t)i, 0), SIGNDOC_E_CONVERSION_DISABLED);
        signdoc_results_free(results);
        results = NULL;
    }
    signdoc_documents_free(documents);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    signdoc_error *error = NULL;
    signdoc_strings *specs = NULL;
    pthread_barrier_wait(&together);
    CHECK_OK(signdoc_conversion_specs(worker->client, 0, NULL, &specs, &error), &error);
    CHECK_TEXT(signdoc_strings_get(specs, 0), "PDFA_2B");
    signdoc_strings_free(specs);
    convert_own(worker);
    return NULL;
}

int main(void) {
    test("16 threads, one client, one token");
    sandbox = sandbox_of("test");
    signdoc_error *error = NULL;
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_convert_options *options = signdoc_convert_options_new();
    char *folder = new_folder();
    CHECK_OK(signdoc_convert_options_set_strict(options, 0, &error), &error);
    struct worker workers[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){i, client, options, folder, 0};
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    pthread_barrier_destroy(&together);
    CHECK_INT(sandbox_seen(&sandbox, PATH_TOKEN), 1);
    CHECK_INT(sandbox_seen(&sandbox, PATH_CONVERT), THREADS * CALLS);
    signdoc_convert_options_free(options);
    signdoc_client_free(client);
    free(folder);
    return tests_end();
}
