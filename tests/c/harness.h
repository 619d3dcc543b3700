/* What the test programs share: checks, the sandbox, and folders. */
#ifndef TESTS_C_HARNESS_H
#define TESTS_C_HARNESS_H

#include <stddef.h>
#include <stdint.h>

#include <signdoc.h>

/* Announces what is tested next. */
void test(const char *name);

/* Says how it went; the exit status of the program. */
int tests_end(void);

/* Says why something is not tested here. */
void left_out(const char *what, const char *why);

void check_true(int holds, const char *what, const char *file, int line);
void check_int(int64_t actual, int64_t wanted, const char *what, const char *file, int line);
void check_text(const char *actual, const char *wanted, const char *what, const char *file,
                int line);
void check_has(const char *text, const char *part, const char *what, const char *file, int line);
void check_ok(int32_t code, signdoc_error **error, const char *what, const char *file, int line);
void check_error(int32_t code, signdoc_error **error, int32_t wanted, const char *what,
                 const char *file, int line);

#define CHECK(condition) check_true((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(actual, wanted)                                                                  \
    check_int((int64_t)(actual), (int64_t)(wanted), #actual, __FILE__, __LINE__)
#define CHECK_TEXT(actual, wanted) check_text((actual), (wanted), #actual, __FILE__, __LINE__)
#define CHECK_HAS(text, part) check_has((text), (part), #text, __FILE__, __LINE__)
/* The call, whose last argument is `error`, succeeds. */
#define CHECK_OK(call, error) check_ok((call), (error), #call, __FILE__, __LINE__)
/* The call fails with this number, and so says its error; the error is freed. */
#define CHECK_ERROR(call, error, wanted)                                                           \
    check_error((call), (error), (wanted), #call, __FILE__, __LINE__)

/* Whether a tool watches every access to memory: what is wrong on purpose is left out then. */
const char *watching_tool(void);

/* A sandbox that the driver has started. */
struct sandbox {
    const char *issuer;
    const char *client_id;
    const char *client_secret;
    const char *control;
    const char *csc_url;
    /* Of conversions; of orders, where the sandbox plays two addresses. */
    const char *base_url;
    const char *orders_url;
};

/* The sandbox of an environment, "production" or "test", set back to its beginning. */
struct sandbox sandbox_of(const char *environment);

/* Whether it can convert. */
int has_converter(void);

/* A request to its control surface; the body of the answer, to be freed. */
char *sandbox_control(const struct sandbox *sandbox, const char *method, const char *path,
                      const char *body);

/* Adds a fault rule. */
void sandbox_fault(const struct sandbox *sandbox, const char *rule);

/* How many requests with this path it has seen. */
int sandbox_seen(const struct sandbox *sandbox, const char *path);

/* What a browser does with an authorize address: "sign", "cancel" or "fail". The address it comes
 * back to; to be freed. */
char *sandbox_visit(const struct sandbox *sandbox, const char *url, const char *action);

#define PATH_TOKEN "/auth/realms/sandbox/protocol/openid-connect/token"
#define PATH_CONVERT "/signdoc/convert"

signdoc_options *sandbox_options(const struct sandbox *sandbox);
signdoc_client *sandbox_client(const struct sandbox *sandbox);

/* A client without retries. */
signdoc_client *sandbox_client_once(const struct sandbox *sandbox);

/* A file, with its size; to be freed. */
char *read_file(const char *path, size_t *size);
void write_file(const char *path, const void *bytes, size_t size);
int file_exists(const char *path);

/* A new empty folder, removed by the driver; to be freed. */
char *new_folder(void);

/* `folder`/`name`; to be freed. */
char *path_in(const char *folder, const char *name);

/* The path of a generated sample, such as "loan-agreement.pdf"; to be freed. */
char *sample(const char *name);

/* Milliseconds since some moment. */
int64_t now_ms(void);

#endif
