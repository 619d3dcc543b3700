/* Converts PDF files to PDF/A-2B and prints what came of each.
 *
 *   cc -o convert examples/convert.c $(pkg-config --cflags --libs signdoc)
 *
 *   export SIGNDOC_ISSUER=https://... SIGNDOC_CLIENT_ID=... SIGNDOC_CLIENT_SECRET=...
 *   ./convert converted/ loan.pdf terms.pdf
 *
 * `signdoc sandbox` prints an issuer, a client and its secret to try it with.
 *
 * The exit status is 0 when all documents were converted, 8 when some were not, 130 after Ctrl-C,
 * 2 for a wrong command line or configuration, and 1 for any other failure.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <signdoc.h>

enum { ALL_CONVERTED = 0, FAILED = 1, USAGE = 2, SOME_NOT_CONVERTED = 8, INTERRUPTED = 130 };

/* Ctrl-C ends the call under way; nothing half written stays behind. */
static signdoc_call *call_under_way;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    signdoc_call_cancel(call_under_way);
}

/* Tells a failure, frees it, and says what the program should exit with. */
static int tell(signdoc_error *error) {
    int32_t code = signdoc_error_code(error);
    fprintf(stderr, "error: %s\n", signdoc_error_message(error));
    fprintf(stderr, "  what to do: %s\n", signdoc_error_advice(error));
    if (signdoc_error_reference(error) != NULL) {
        fprintf(stderr, "  reference for support: %s\n", signdoc_error_reference(error));
    }
    fprintf(stderr, "  %s, number %" PRId32 "\n", signdoc_error_constant(error), code);
    signdoc_error_free(error);
    switch (code) {
    case SIGNDOC_E_MISSING_OPTION:
    case SIGNDOC_E_INVALID_OPTION:
    case SIGNDOC_E_INSECURE_URL:
    case SIGNDOC_E_MISSING_SECRET:
        return USAGE;
    case SIGNDOC_E_CANCELLED:
        return INTERRUPTED;
    default:
        return FAILED;
    }
}

/* A client from SIGNDOC_ISSUER, SIGNDOC_CLIENT_ID and their like; NULL and `*error` on failure. */
static signdoc_client *client_from_env(signdoc_error **error) {
    signdoc_client *client = NULL;
    signdoc_options *options = signdoc_options_new();
    if (signdoc_options_from_env(options, error) == SIGNDOC_OK) {
        signdoc_client_new(options, &client, error);
    }
    signdoc_options_free(options);
    return client;
}

static signdoc_documents *documents_of(int count, char **paths, signdoc_error **error) {
    signdoc_documents *documents = signdoc_documents_new();
    for (int i = 0; i < count; i++) {
        if (signdoc_documents_add_path(documents, paths[i], error) != SIGNDOC_OK) {
            signdoc_documents_free(documents);
            return NULL;
        }
    }
    return documents;
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void print_size(const char *path) {
    struct stat facts;
    double bytes = stat(path, &facts) == 0 ? (double)facts.st_size : 0.0;
    if (bytes >= 1e6) {
        printf("%7.2f MB", bytes / 1e6);
    } else {
        printf("%7.1f kB", bytes / 1e3);
    }
}

/* What there is to say of a document: warnings, reasons why it was not converted, its failure. */
static void print_remarks(const signdoc_results *results, size_t index) {
    const char *separator = "";
    for (size_t i = 0; i < signdoc_results_warning_count(results, index); i++) {
        printf("%s%s", separator, signdoc_results_warning_name(results, index, i));
        separator = ", ";
    }
    for (size_t i = 0; i < signdoc_results_error_count(results, index); i++) {
        printf("%serror %s", separator, signdoc_results_error_name(results, index, i));
        separator = ", ";
    }
    const signdoc_error *failure = signdoc_results_failure(results, index);
    if (failure != NULL) {
        printf("%serror %s: %s", separator, signdoc_error_name(failure),
               signdoc_error_message(failure));
        separator = ", ";
    }
    if (*separator == '\0') {
        printf("-");
    }
}

static int print_table(const signdoc_results *results, char **paths) {
    size_t converted = 0;
    size_t count = signdoc_results_count(results);
    printf("%-24s %10s  %-9s  %-40s  %s\n", "document", "size", "converted", "where",
           "warnings and errors");
    for (size_t i = 0; i < count; i++) {
        const char *path = signdoc_results_path(results, i);
        int good = !signdoc_results_failed(results, i);
        printf("%-24s ", file_name(paths[i]));
        print_size(paths[i]);
        printf("  %-9s  %-40s  ", good ? "yes" : "no", path == NULL ? "-" : path);
        print_remarks(results, i);
        printf("\n");
        converted += good ? 1 : 0;
    }
    printf("\n%zu of %zu documents converted\n", converted, count);
    return converted == count ? ALL_CONVERTED : SOME_NOT_CONVERTED;
}

static int convert(const signdoc_client *client, const char *folder, int count, char **paths) {
    signdoc_error *error = NULL;
    signdoc_results *results = NULL;
    signdoc_documents *documents = documents_of(count, paths, &error);
    if (documents == NULL) {
        return tell(error);
    }
    /* signdoc_convert does the same in one call of the service, for up to 15 documents that stand
     * or fall together; signdoc_convert_many takes any number, each on its own. */
    int status = FAILED;
    if (signdoc_convert_many(client, documents, folder, NULL, 0, call_under_way, &results,
                             &error) == SIGNDOC_OK) {
        status = print_table(results, paths);
    } else {
        status = tell(error);
    }
    signdoc_results_free(results);
    signdoc_documents_free(documents);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s FOLDER FILE...\n", argv[0]);
        fprintf(stderr, "The service is set by SIGNDOC_ISSUER, SIGNDOC_CLIENT_ID, "
                        "SIGNDOC_CLIENT_SECRET (or SIGNDOC_CLIENT_SECRET_FILE).\n");
        return USAGE;
    }
    signdoc_error *error = NULL;
    signdoc_client *client = client_from_env(&error);
    if (client == NULL) {
        return tell(error);
    }
    call_under_way = signdoc_call_new();
    signal(SIGINT, on_interrupt);
    int status = convert(client, argv[1], argc - 2, argv + 2);
    signal(SIGINT, SIG_DFL);
    signdoc_call_free(call_under_way);
    signdoc_client_free(client);
    return status;
}
