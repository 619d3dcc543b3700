/* Has PDF files signed: creates an order, shows the address where the end user signs, waits, and
 * downloads the signed files.
 *
 *   cc -o sign examples/sign.c $(pkg-config --cflags --libs signdoc)
 *
 *   export SIGNDOC_ISSUER=https://... SIGNDOC_CLIENT_ID=... SIGNDOC_CLIENT_SECRET=...
 *   ./sign signed/ https://shop.example/callback loan.pdf terms.pdf
 *
 * A web application would take the callback and ask who signed (signdoc_login_finish); this program
 * follows the order's state alone.
 *
 * The exit status is 0 when the signed files are in the folder, 8 when the order was not completed,
 * 130 after Ctrl-C, and 1 for any other failure.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include <signdoc.h>

enum { SIGNED = 0, FAILED = 1, USAGE = 2, NOT_COMPLETED = 8, INTERRUPTED = 130 };

static signdoc_call *call_under_way;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    signdoc_call_cancel(call_under_way);
}

static int32_t on_state(void *context, const char *state) {
    printf("%s: %s\n", (const char *)context, state);
    fflush(stdout);
    return 0;
}

static int tell(signdoc_error *error, const char *folder) {
    int32_t code = signdoc_error_code(error);
    fprintf(stderr, "error: %s\n  what to do: %s\n", signdoc_error_message(error),
            signdoc_error_advice(error));
    if (signdoc_error_download(error) != NULL) {
        fprintf(stderr, "  what arrived is kept in %s; signdoc_recover finishes it\n", folder);
    }
    signdoc_error_free(error);
    switch (code) {
    case SIGNDOC_E_CANCELLED:
        return INTERRUPTED;
    case SIGNDOC_E_ORDER_CANCELLED:
    case SIGNDOC_E_ORDER_FAILED:
    case SIGNDOC_E_WINDOW_EXPIRED:
    case SIGNDOC_E_ORDER_NOT_FOUND:
        return NOT_COMPLETED;
    default:
        return FAILED;
    }
}

static signdoc_client *client_from_env(signdoc_error **error) {
    signdoc_client *client = NULL;
    signdoc_options *options = signdoc_options_new();
    if (signdoc_options_from_env(options, error) == SIGNDOC_OK) {
        signdoc_client_new(options, &client, error);
    }
    signdoc_options_free(options);
    return client;
}

static signdoc_order *create(const signdoc_client *client, int count, char **paths,
                             signdoc_error **error) {
    signdoc_order *order = NULL;
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_order_request *request = signdoc_order_request_new();
    int32_t code = signdoc_order_request_set(request, "name", "Order from C", error);
    for (int i = 0; i < count && code == SIGNDOC_OK; i++) {
        code = signdoc_documents_add_path(documents, paths[i], error);
    }
    if (code == SIGNDOC_OK) {
        signdoc_order_create(client, SIGNDOC_ORDER_PADES, request, documents, 0, call_under_way,
                             &order, error);
    }
    signdoc_order_request_free(request);
    signdoc_documents_free(documents);
    return order;
}

/* Sends the end user to sign, waits, and downloads. */
static int32_t follow(const signdoc_client *client, const signdoc_order *order, const char *back,
                      const char *folder, signdoc_download **download, signdoc_error **error) {
    signdoc_login *login = NULL;
    signdoc_buffer state = {NULL, 0};
    int32_t code = signdoc_login_begin(client, order, back, NULL, NULL, NULL, 0, call_under_way,
                                       &login, error);
    if (code == SIGNDOC_OK) {
        printf("Open this address within %" PRId64 " seconds to sign:\n%s\n",
               signdoc_order_expires_in_ms(order) / 1000, signdoc_login_url(login));
        fflush(stdout);
        signdoc_call_set_state(call_under_way, on_state, (void *)"order", NULL);
        code = signdoc_order_wait(client, order, NULL, 0, call_under_way, &state, NULL, error);
    }
    if (code == SIGNDOC_OK) {
        code = signdoc_order_download(client, order, folder, NULL, 0, 0, call_under_way, download,
                                      error);
    }
    signdoc_buffer_free(&state);
    signdoc_login_free(login);
    return code;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s FOLDER REDIRECT_URI FILE...\n", argv[0]);
        return USAGE;
    }
    signdoc_error *error = NULL;
    signdoc_order *order = NULL;
    signdoc_download *download = NULL;
    signdoc_client *client = client_from_env(&error);
    call_under_way = signdoc_call_new();
    signal(SIGINT, on_interrupt);
    int status = SIGNED;
    if (client != NULL) {
        order = create(client, argc - 3, argv + 3, &error);
    }
    if (order == NULL ||
        follow(client, order, argv[2], argv[1], &download, &error) != SIGNDOC_OK) {
        status = tell(error, argv[1]);
    }
    for (size_t i = 0; i < signdoc_download_count(download); i++) {
        printf("%s\n", signdoc_download_path(download, i, SIGNDOC_PART_DOCUMENT));
    }
    signal(SIGINT, SIG_DFL);
    signdoc_download_free(download);
    signdoc_order_free(order);
    signdoc_call_free(call_under_way);
    signdoc_client_free(client);
    return status;
}
