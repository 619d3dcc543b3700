#include "harness.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *current = "(no test)";
static int tests;
static int checks;
static int failures;

void test(const char *name) {
    current = name;
    if (getenv("TEST_TALK") != NULL) {
        fprintf(stderr, "test: %s\n", name);
    }
    tests++;
}

void left_out(const char *what, const char *why) {
    printf("left out: %s: %s\n", what, why);
}

int tests_end(void) {
    signdoc_shutdown();
    printf("%d tests, %d checks, %d failed\n", tests, checks, failures);
    fflush(stdout);
    /* A program that checked nothing has not passed. */
    return failures == 0 && checks > 0 ? 0 : 1;
}

static int begin_failure(const char *what, const char *file, int line) {
    failures++;
    printf("FAILED %s:%d (%s): %s", file, line, current, what);
    return 0;
}

void check_true(int holds, const char *what, const char *file, int line) {
    __atomic_add_fetch(&checks, 1, __ATOMIC_RELAXED);
    if (!holds) {
        begin_failure(what, file, line);
        printf("\n");
    }
}

void check_int(int64_t actual, int64_t wanted, const char *what, const char *file, int line) {
    __atomic_add_fetch(&checks, 1, __ATOMIC_RELAXED);
    if (actual != wanted) {
        begin_failure(what, file, line);
        printf(" is %" PRId64 ", not %" PRId64 "\n", actual, wanted);
    }
}

void check_text(const char *actual, const char *wanted, const char *what, const char *file,
                int line) {
    __atomic_add_fetch(&checks, 1, __ATOMIC_RELAXED);
    if (actual == NULL || strcmp(actual, wanted) != 0) {
        begin_failure(what, file, line);
        printf(" is \"%s\", not \"%s\"\n", actual == NULL ? "(NULL)" : actual, wanted);
    }
}

void check_has(const char *text, const char *part, const char *what, const char *file, int line) {
    __atomic_add_fetch(&checks, 1, __ATOMIC_RELAXED);
    if (text == NULL || strstr(text, part) == NULL) {
        begin_failure(what, file, line);
        printf(" is \"%s\", without \"%s\"\n", text == NULL ? "(NULL)" : text, part);
    }
}

void check_ok(int32_t code, signdoc_error **error, const char *what, const char *file, int line) {
    __atomic_add_fetch(&checks, 1, __ATOMIC_RELAXED);
    if (code != SIGNDOC_OK || *error != NULL) {
        begin_failure(what, file, line);
        printf(" gives %" PRId32 ": %s\n", code, signdoc_error_json(*error));
    }
    signdoc_error_free(*error);
    *error = NULL;
}

void check_error(int32_t code, signdoc_error **error, int32_t wanted, const char *what,
                 const char *file, int line) {
    __atomic_add_fetch(&checks, 1, __ATOMIC_RELAXED);
    if (code != wanted || signdoc_error_code(*error) != wanted) {
        begin_failure(what, file, line);
        printf(" gives %" PRId32 " and %s, not %" PRId32 "\n", code, signdoc_error_json(*error),
               wanted);
    }
    signdoc_error_free(*error);
    *error = NULL;
}

const char *watching_tool(void) {
    return getenv("TEST_TOOL");
}

static void *not_null(void *pointer, const char *what) {
    if (pointer == NULL) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
    return pointer;
}

static const char *setting(const char *environment, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "SANDBOX_%s_%s", environment, name);
    for (char *c = key; *c != '\0'; c++) {
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    return not_null(getenv(key), key);
}

struct sandbox sandbox_of(const char *environment) {
    struct sandbox sandbox = {
        setting(environment, "issuer"),
        setting(environment, "client_id"),
        setting(environment, "client_secret"),
        setting(environment, "control"),
        setting(environment, "csc_url"),
        setting(environment, "base_url"),
        setting(environment, "orders_url"),
    };
    free(sandbox_control(&sandbox, "POST", "/_sandbox/reset", ""));
    return sandbox;
}

int has_converter(void) {
    const char *converter = getenv("SANDBOX_CONVERTER");
    return converter != NULL && *converter != '\0';
}

/* The port of an address like http://127.0.0.1:4711. */
static uint16_t port_of(const char *address) {
    const char *colon = strrchr(address, ':');
    return (uint16_t)strtoul(colon == NULL ? "" : colon + 1, NULL, 10);
}

static int connected(uint16_t port) {
    struct sockaddr_in to;
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&to, sizeof to) != 0) {
        perror("connecting to the sandbox");
        exit(1);
    }
    return connection;
}

static void send_all(int connection, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t sent = send(connection, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            perror("sending to the sandbox");
            exit(1);
        }
        bytes += sent;
        size -= (size_t)sent;
    }
}

static char *receive_all(int connection) {
    size_t size = 0;
    size_t room = 4096;
    char *bytes = not_null(malloc(room + 1), "malloc");
    for (;;) {
        ssize_t received = recv(connection, bytes + size, room - size, 0);
        if (received <= 0) {
            bytes[size] = '\0';
            return bytes;
        }
        size += (size_t)received;
        if (size == room) {
            room *= 2;
            bytes = not_null(realloc(bytes, room + 1), "realloc");
        }
    }
}

char *sandbox_control(const struct sandbox *sandbox, const char *method, const char *path,
                      const char *body) {
    char head[512];
    int length = snprintf(head, sizeof head,
                          "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                          "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                          method, path, strlen(body));
    int connection = connected(port_of(sandbox->control));
    send_all(connection, head, (size_t)length);
    send_all(connection, body, strlen(body));
    char *answer = receive_all(connection);
    close(connection);
    char *end = strstr(answer, "\r\n\r\n");
    if (strncmp(answer, "HTTP/1.1 20", 11) != 0 || end == NULL) {
        fprintf(stderr, "the sandbox refuses %s %s %s: %s\n", method, path, body, answer);
        exit(1);
    }
    memmove(answer, end + 4, strlen(end + 4) + 1);
    return answer;
}

void sandbox_fault(const struct sandbox *sandbox, const char *rule) {
    free(sandbox_control(sandbox, "POST", "/_sandbox/faults", rule));
}

int sandbox_seen(const struct sandbox *sandbox, const char *path) {
    char part[256];
    int count = 0;
    char *seen = sandbox_control(sandbox, "GET", "/_sandbox/requests", "");
    snprintf(part, sizeof part, "\"path\":\"%s\"", path);
    for (const char *at = strstr(seen, part); at != NULL; at = strstr(at + 1, part)) {
        count++;
    }
    free(seen);
    return count;
}

char *sandbox_visit(const struct sandbox *sandbox, const char *url, const char *action) {
    static const char begin[] = "\"url\":\"";
    size_t size = strlen(url) + strlen(action) + 64;
    char *body = not_null(malloc(size), "malloc");
    snprintf(body, size, "{\"url\":\"%s\",\"action\":\"%s\"}", url, action);
    char *answer = sandbox_control(sandbox, "POST", "/_sandbox/visit", body);
    char *address = not_null(strstr(answer, begin), answer);
    address += sizeof begin - 1;
    *(char *)not_null(strchr(address, '"'), answer) = '\0';
    memmove(answer, address, strlen(address) + 1);
    free(body);
    return answer;
}

signdoc_options *sandbox_options(const struct sandbox *sandbox) {
    signdoc_error *error = NULL;
    signdoc_options *options = signdoc_options_new();
    CHECK_OK(signdoc_options_set(options, "issuer", sandbox->issuer, &error), &error);
    CHECK_OK(signdoc_options_set(options, "client_id", sandbox->client_id, &error), &error);
    CHECK_OK(signdoc_options_set(options, "client_secret", sandbox->client_secret, &error), &error);
    CHECK_OK(signdoc_options_set(options, "csc_url", sandbox->csc_url, &error), &error);
    return options;
}

static signdoc_client *client_of(signdoc_options *options) {
    signdoc_error *error = NULL;
    signdoc_client *client = NULL;
    CHECK_OK(signdoc_client_new(options, &client, &error), &error);
    signdoc_options_free(options);
    return not_null(client, "signdoc_client_new");
}

signdoc_client *sandbox_client(const struct sandbox *sandbox) {
    return client_of(sandbox_options(sandbox));
}

signdoc_client *sandbox_client_once(const struct sandbox *sandbox) {
    signdoc_error *error = NULL;
    signdoc_options *options = sandbox_options(sandbox);
    CHECK_OK(signdoc_options_set(options, "max_retries", "0", &error), &error);
    return client_of(options);
}

char *read_file(const char *path, size_t *size) {
    struct stat facts;
    FILE *file = not_null(fopen(path, "rb"), path);
    if (fstat(fileno(file), &facts) != 0) {
        perror(path);
        exit(1);
    }
    *size = (size_t)facts.st_size;
    char *bytes = not_null(malloc(*size + 1), "malloc");
    if (fread(bytes, 1, *size, file) != *size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return bytes;
}

void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = not_null(fopen(path, "wb"), path);
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

int file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

char *new_folder(void) {
    const char *parent = getenv("TMPDIR");
    char *path = path_in(parent == NULL ? "/tmp" : parent, "signdoc-XXXXXX");
    return not_null(mkdtemp(path), "mkdtemp");
}

char *path_in(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = not_null(malloc(size), "malloc");
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

char *sample(const char *name) {
    return path_in(not_null(getenv("SAMPLES"), "SAMPLES"), name);
}

int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
