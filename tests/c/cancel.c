/* Ending a call early, and that memory lent to a call is left alone once the call has returned. */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

int main(void) {
    /* Enough that sending takes longer than the shortest time limit, and the tool not for ever. */
    pdf_size = (size_t)(watching_tool() == NULL ? 3 * 1024 * 1024 : 256 * 1024);
    sandbox = sandbox_of("production");
    a_signal_ends_a_call();
    another_thread_ends_a_call();
    lent_memory_is_given_back();
    return tests_end();
}
