/* The conversion job through the C face of signdoc. */

#define _POSIX_C_SOURCE 200809L
#include <signdoc.h>

#include "job.h"

static void check(int32_t code, signdoc_error *error)
{
    if (code != SIGNDOC_OK) {
        fail(signdoc_error_message(error));
    }
}

/* A client that still has to fetch discovery and a token. */
static void *make(const struct job *job)
{
    signdoc_error *error = NULL;
    signdoc_client *client = NULL;
    signdoc_options *options = signdoc_options_new();
    check(signdoc_options_set(options, "issuer", job->url, &error), error);
    check(signdoc_options_set(options, "client_id", "bench", &error), error);
    check(signdoc_options_set(options, "client_secret", "bench", &error), error);
    check(signdoc_client_new(options, &client, &error), error);
    signdoc_options_free(options);
    return client;
}

static void call(void *client, const struct job *job)
{
    signdoc_error *error = NULL;
    signdoc_results *results = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_convert_options *options = signdoc_convert_options_new();
    check(signdoc_convert_options_set_overwrite(options, 1, &error), error);
    for (int i = 0; i < job->count; i++) {
        check(signdoc_documents_add_path(documents, job->files[i], &error), error);
    }
    check(signdoc_convert(client, documents, job->out, options, 0, NULL, &results, &error), error);
    signdoc_results_free(results);
    signdoc_convert_options_free(options);
    signdoc_documents_free(documents);
}

int main(int argc, char **argv)
{
    struct job job = job_of(argc, argv);
    run_job("signdoc (C)", &job, make, call);
    return 0;
}
