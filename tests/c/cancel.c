/* Ending a call early, and that memory lent to a call is left alone once the call has returned. */
#include "harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct sandbox sandbox;
static size_t pdf_size;
static signdoc_error *error;
static signdoc_call *watched;

static void on_alarm(int signal_number) {
    (void)signal_number;
    signdoc_call_cancel(watched);
}

static void alarm_in_ms(long ms) {
    struct itimerval once = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};
    setitimer(ITIMER_REAL, &once, NULL);
}

static void stall(void) {
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&sandbox,
                  "{\"path\":\"" PATH_CONVERT "\",\"times\":null,\"fault\":{\"kind\":\"stall\"}}");
}

/* A PDF in pages of its own, which can be taken away as a whole. */
static void *pages_with_a_pdf(void) {
    void *pages = mmap(NULL, pdf_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        exit(1);
    }
    memset(pages, ' ', pdf_size);
    memcpy(pages, "%PDF-1.4", 8);
    return pages;
}

static void a_signal_ends_a_call(void) {
    test("a signal ends a call that would wait for ever");
    stall();
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_results *results = NULL;
    CHECK_OK(signdoc_documents_add_bytes(documents, "%PDF-1.4", 8, NULL, &error), &error);
    signal(SIGALRM, on_alarm);
    for (int many = 0; many < 2; many++) {
        watched = signdoc_call_new();
        int64_t before = now_ms();
        alarm_in_ms(300);
        int32_t code = many ? signdoc_convert_many(client, documents, NULL, NULL, 0, watched,
                                                   &results, &error)
                            : signdoc_convert(client, documents, NULL, NULL, 0, watched, &results,
                                              &error);
        int64_t took = now_ms() - before;
        CHECK_ERROR(code, &error, SIGNDOC_E_CANCELLED);
        CHECK(took >= 290);
        CHECK(results == NULL);

        /* Once ended, a later call with the same view does not begin. */
        CHECK_ERROR(signdoc_convert(client, documents, NULL, NULL, 0, watched, &results, &error),
                    &error, SIGNDOC_E_CANCELLED);
        signdoc_call_free(watched);
    }
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

static void *cancel_soon(void *call) {
    usleep(100 * 1000);
    signdoc_call_cancel(call);
    return NULL;
}

static void another_thread_ends_a_call(void) {
    test("another thread ends a call and sees how far it is");
    stall();
    signdoc_client *client = sandbox_client(&sandbox);
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_results *results = NULL;
    signdoc_call *call = signdoc_call_new();
    pthread_t thread;
    CHECK_OK(signdoc_documents_add_bytes(documents, "%PDF-1.4", 8, NULL, &error), &error);
    pthread_create(&thread, NULL, cancel_soon, call);
    CHECK_ERROR(signdoc_convert(client, documents, NULL, NULL, 0, call, &results, &error), &error,
                SIGNDOC_E_CANCELLED);
    pthread_join(thread, NULL);
    signdoc_call_free(call);
    signdoc_documents_free(documents);
    signdoc_client_free(client);
}

/* The answer comes at once and stops in the middle, or the request is not taken: either way there
 * is still something under way when the call gives up. Touching the pages then is fatal. */
static void lent_memory_is_given_back(void) {
    test("lent memory is given back when a call ends early");
    signdoc_client *client = sandbox_client_once(&sandbox);
    for (int i = 0; i < 20; i++) {
        stall();
        void *pages = pages_with_a_pdf();
        signdoc_documents *documents = signdoc_documents_new();
        for (int n = 0; n < 15; n++) {
            CHECK_OK(signdoc_documents_add_bytes(documents, pages, pdf_size, NULL, &error),
                     &error);
        }
        signdoc_results *results = NULL;
        uint64_t limit_ms = (uint64_t)(5 + 10 * i);
        CHECK_ERROR(signdoc_convert(client, documents, NULL, NULL, limit_ms, NULL, &results,
                                    &error),
                    &error, SIGNDOC_E_TOTAL_TIMEOUT);
        munmap(pages, pdf_size);
        usleep(2000);
        signdoc_documents_free(documents);
    }
    for (int i = 0; i < 10; i++) {
        stall();
        void *pages = pages_with_a_pdf();
        signdoc_documents *documents = signdoc_documents_new();
        for (int n = 0; n < 30; n++) {
            CHECK_OK(signdoc_documents_add_bytes(documents, pages, pdf_size, NULL, &error),
                     &error);
        }
        signdoc_results *results = NULL;
        watched = signdoc_call_new();
        alarm_in_ms(20 + 15 * i);
        CHECK_ERROR(signdoc_convert_many(client, documents, NULL, NULL, 0, watched, &results,
                                         &error),
                    &error, SIGNDOC_E_CANCELLED);
        munmap(pages, pdf_size);
        usleep(2000);
        signdoc_call_free(watched);
        signdoc_documents_free(documents);
    }
    signdoc_client_free(client);
}

/* The call gives up after so many seconds, as its error says; the code is what is expected. */
static void gives_up(signdoc_client *client, const signdoc_call *call, int32_t wanted,
                     const char *limit) {
    signdoc_strings *specs = NULL;
    int32_t code = signdoc_conversion_specs(client, 0, call, &specs, &error);
    CHECK_INT(code, wanted);
    CHECK_HAS(signdoc_error_json(error), limit);
    CHECK(specs == NULL);
    signdoc_error_free(error);
    error = NULL;
}

static signdoc_client *client_with(const char *issuer, const char *option, const char *seconds) {
    signdoc_options *options = sandbox_options(&sandbox);
    signdoc_client *client = NULL;
    CHECK_OK(signdoc_options_set(options, "issuer", issuer, &error), &error);
    CHECK_OK(signdoc_options_set(options, "max_retries", "0", &error), &error);
    CHECK_OK(signdoc_options_set(options, option, seconds, &error), &error);
    CHECK_OK(signdoc_client_new(options, &client, &error), &error);
    signdoc_options_free(options);
    return client;
}

static void a_call_has_its_own_limits(void) {
    test("a call has its own limits on connecting and on silence");
    signdoc_call *call = signdoc_call_new();
    CHECK_OK(signdoc_call_set_timeouts(call, 300, 400, &error), &error);
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    sandbox_fault(&sandbox, "{\"path\":\"" PATH_TOKEN
                            "\",\"times\":null,\"fault\":{\"kind\":\"stall\"}}");
    signdoc_client *client = client_with(sandbox.issuer, "read_timeout", "0.6");
    gives_up(client, call, SIGNDOC_E_READ_TIMEOUT, "\"limit\":0.4,");
    gives_up(client, NULL, SIGNDOC_E_READ_TIMEOUT, "\"limit\":0.6,");
    signdoc_client_free(client);

    /* Its backlog takes the connection, and then nobody speaks TLS. */
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 16) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    char issuer[64];
    snprintf(issuer, sizeof issuer, "https://127.0.0.1:%d/realm", ntohs(address.sin_port));
    client = client_with(issuer, "connect_timeout", "0.5");
    gives_up(client, call, SIGNDOC_E_CONNECT_TIMEOUT, "\"limit\":0.3,");
    /* Nothing is left of them once they are taken back. */
    CHECK_OK(signdoc_call_set_timeouts(call, 0, 0, &error), &error);
    gives_up(client, call, SIGNDOC_E_CONNECT_TIMEOUT, "\"limit\":0.5,");
    signdoc_client_free(client);
    signdoc_call_free(call);
    close(listener);
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
}

int main(void) {
    /* Enough that sending takes longer than the shortest time limit, and the tool not for ever. */
    pdf_size = (size_t)(watching_tool() == NULL ? 3 * 1024 * 1024 : 256 * 1024);
    sandbox = sandbox_of("production");
    a_signal_ends_a_call();
    another_thread_ends_a_call();
    lent_memory_is_given_back();
    a_call_has_its_own_limits();
    return tests_end();
}
