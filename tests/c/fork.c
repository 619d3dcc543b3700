/* A client that was made, and used, before fork() works on both sides of it. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUSY_THREADS = 4, FORKS_WHILE_BUSY = 6, CHILD_SECONDS = 60 };

static struct sandbox sandbox;

/* A call; 0 on success, so that it can be an exit status. */
static int ask(const signdoc_client *client) {
    signdoc_error *error = NULL;
    signdoc_strings *specs = NULL;
    int32_t code = signdoc_conversion_specs(client, 0, NULL, &specs, &error);
    int good = code == SIGNDOC_OK && signdoc_strings_count(specs) == 1;
    CHECK_OK(code, &error);
    signdoc_strings_free(specs);
    return good ? 0 : 1;
}

static int child_of(pid_t child) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What the parent's other threads owned belongs to nobody in the child, where a leak checker would
 * report it. So the child becomes another program before it ends; leaks are judged in the parent,
 * and wrong accesses in both. */
static void end_child(int status) {
    if (watching_tool() != NULL) {
        execl("/bin/sh", "sh", "-c", status == 0 ? "exit 0" : "exit 1", (char *)NULL);
    }
    _exit(status);
}

static pid_t fork_and_ask(const signdoc_client *client, signdoc_client *own) {
    pid_t child = fork();
    if (child == 0) {
        /* A child that hangs is a failure, not a wait. */
        alarm(CHILD_SECONDS);
        int status = ask(client) | ask(client);
        signdoc_client_free(own);
        end_child(status);
    }
    return child;
}

static void a_client_made_before_fork_works_in_the_child(void) {
    test("a client made before fork works in the child");
    signdoc_client *client = sandbox_client(&sandbox);
    CHECK_INT(child_of(fork_and_ask(client, NULL)), 0);
    CHECK_INT(ask(client), 0);

    test("a client used before fork works in the child and in the parent");
    CHECK_INT(child_of(fork_and_ask(client, NULL)), 0);
    CHECK_INT(ask(client), 0);

    test("the child may free the client");
    CHECK_INT(child_of(fork_and_ask(client, client)), 0);
    CHECK_INT(ask(client), 0);
    signdoc_client_free(client);
}

struct busy {
    const signdoc_client *client;
    atomic_int stop;
};

static void *keep_asking(void *argument) {
    struct busy *busy = argument;
    intptr_t failed = 0;
    while (!atomic_load(&busy->stop)) {
        failed |= ask(busy->client);
    }
    return (void *)failed;
}

static void forks_while_threads_are_busy(void) {
    test("fork while other threads are in calls");
    if (watching_tool() != NULL && strcmp(watching_tool(), "a sanitizer") == 0) {
        left_out("fork while other threads are in calls",
                 "a lock of the sanitizer's own allocator may be taken at that moment, for ever");
        return;
    }
    struct busy busy = {sandbox_client(&sandbox), 0};
    pthread_t threads[BUSY_THREADS];
    for (int i = 0; i < BUSY_THREADS; i++) {
        pthread_create(&threads[i], NULL, keep_asking, &busy);
    }
    for (int i = 0; i < FORKS_WHILE_BUSY; i++) {
        usleep(20 * 1000);
        CHECK_INT(child_of(fork_and_ask(busy.client, NULL)), 0);
    }
    atomic_store(&busy.stop, 1);
    for (int i = 0; i < BUSY_THREADS; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        CHECK(failed == NULL);
    }
    signdoc_client_free((signdoc_client *)busy.client);
}

int main(void) {
    sandbox = sandbox_of("production");
    a_client_made_before_fork_works_in_the_child();
    forks_while_threads_are_busy();
    return tests_end();
}
