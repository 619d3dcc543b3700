"""Reads include/signdoc.h and writes the test programs that call every function of it.

``misuse.c`` calls each function with everything NULL, with each handle of another kind, each text
no UTF-8, each place for a result missing. ``panics.c`` makes each function panic inside.
What the functions must give then is read from the header: its types, and "Never NULL".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Arguments that may be left out.
OPTIONAL = {
    ("signdoc_call_cancel", "call"),
    ("signdoc_call_progress", "to_send"),
    ("signdoc_call_progress", "sent"),
    ("signdoc_call_progress", "received"),
    ("signdoc_call_set_log", "function"),
    ("signdoc_bundle", "report"),
    ("signdoc_call_set_progress", "function"),
    ("signdoc_call_set_state", "function"),
    ("signdoc_conversion_specs", "call"),
    ("signdoc_convert", "to_folder"),
    ("signdoc_convert", "options"),
    ("signdoc_convert", "call"),
    ("signdoc_convert_many", "to_folder"),
    ("signdoc_convert_many", "options"),
    ("signdoc_convert_many", "call"),
    ("signdoc_convert_options_set_resume", "path"),
    ("signdoc_convert_options_set_result", "function"),
    ("signdoc_convert_options_set_writer", "function"),
    ("signdoc_csc_begin", "request"),
    ("signdoc_csc_credential_info_json", "call"),
    ("signdoc_csc_credentials_json", "call"),
    ("signdoc_csc_finish", "call"),
    ("signdoc_csc_info_json", "call"),
    ("signdoc_csc_sign_hashes", "request"),
    ("signdoc_csc_sign_hashes", "call"),
    ("signdoc_csc_sign_pdfs", "session"),
    ("signdoc_csc_sign_pdfs", "to_folder"),
    ("signdoc_csc_sign_pdfs", "request"),
    ("signdoc_csc_sign_pdfs", "call"),
    ("signdoc_documents_add_bytes", "name"),
    ("signdoc_verify", "options"),
    ("signdoc_documents_add_reader", "name"),
    ("signdoc_documents_add_text", "text"),
    ("signdoc_extend", "network"),
    ("signdoc_extend", "options"),
    ("signdoc_extend", "to_file"),
    ("signdoc_extend", "call"),
    ("signdoc_login_begin", "ui_locales"),
    ("signdoc_login_begin", "scopes"),
    ("signdoc_login_begin", "response_mode"),
    ("signdoc_login_begin", "call"),
    ("signdoc_login_finish", "call"),
    ("signdoc_order_create", "call"),
    ("signdoc_order_discard", "call"),
    ("signdoc_order_discard", "last"),
    ("signdoc_order_download", "to_folder"),
    ("signdoc_order_download", "originals"),
    ("signdoc_order_download", "call"),
    ("signdoc_order_state", "call"),
    ("signdoc_order_state", "is_final"),
    ("signdoc_order_wait", "until"),
    ("signdoc_report_html", "title"),
    ("signdoc_order_wait", "call"),
    ("signdoc_order_wait", "is_final"),
    ("signdoc_recover", "client"),
    ("signdoc_recover", "call"),
}

# What functions without a return code give instead of 0, NULL or an empty text.
INSTEAD = {
    # (NULL, not an error, panic)
    "signdoc_error_code": ("SIGNDOC_OK", "SIGNDOC_E_INVALID_HANDLE", "SIGNDOC_E_PANIC"),
    "signdoc_error_retry_after_ms": ("-1", "-1", "-1"),
    "signdoc_order_expires_in_ms": ("-1", "-1", "-1"),
    "signdoc_abi_version": ("UINT32_MAX", "UINT32_MAX", "UINT32_MAX"),
}

# Right values; the fixtures stand in HEAD.
SCALARS = {
    "size_t": "0",
    "int32_t": "0",
    "int64_t": "0",
    "uint32_t": "0",
    "uint64_t": "1000",
    "double": "0",
}
RIGHT = SCALARS | {
    "void *": "NULL",
    "const void *": '"x"',
    "const uint8_t *": '(const uint8_t *)"x"',
    "signdoc_error **": "&error",
}
NAMED = {
    "key": '"scope"',
    "word": '"708"',
    "least": "SIGNDOC_LOG_DEBUG",
    "order_kind": "SIGNDOC_ORDER_SDO",
}


@dataclass(frozen=True)
class Argument:
    type: str
    name: str

    @property
    def handle(self) -> str | None:
        """The kind of a handle that is given to the function."""
        found = re.fullmatch(r"(?:const )?(signdoc_\w+) \*", self.type)
        return found[1] if found and found[1] not in ("signdoc_buffer", "signdoc_view") else None

    @property
    def is_function(self) -> bool:
        return self.type.endswith("_fn")

    @property
    def is_text(self) -> bool:
        return self.type == "const char *"

    @property
    def is_place(self) -> bool:
        found = self.type.endswith("**") or self.type in (
            "uint64_t *",
            "int32_t *",
            "signdoc_buffer *",
        )
        return found and self.name != "error"


@dataclass(frozen=True)
class Function:
    result: str
    name: str
    arguments: tuple[Argument, ...]
    doc: str

    @property
    def fallible(self) -> bool:
        return bool(self.arguments) and self.arguments[-1].type == "signdoc_error **"

    @property
    def frees(self) -> bool:
        return self.name.endswith("_free")

    def call(self, values: dict[str, str]) -> str:
        return f"{self.name}({', '.join(values[a.name] for a in self.arguments)})"

    def nothing(self) -> dict[str, str]:
        """All pointers NULL."""
        pointer = {a.name: "NULL" for a in self.arguments}
        return pointer | {a.name: SCALARS[a.type] for a in self.arguments if a.type in SCALARS}

    def right(self) -> dict[str, str]:
        """Arguments that are all as they should be."""
        return {a.name: _right(a) for a in self.arguments}

    def may_be_null(self, argument: Argument) -> bool:
        return (self.name, argument.name) in OPTIONAL


def _right(argument: Argument) -> str:
    if argument.name in NAMED:
        return NAMED[argument.name]
    if argument.type in RIGHT:
        return RIGHT[argument.type]
    if argument.is_function:
        return "any_" + argument.type.removeprefix("signdoc_").removesuffix("_fn")
    if argument.handle:
        return f"right.{argument.handle.removeprefix('signdoc_')}"
    if argument.is_text:
        return '"x"'
    return f"&place_{_word(argument.type)}"


def _word(type_: str) -> str:
    return re.sub(r"\W+", "_", type_.removesuffix("*").strip()).strip("_")


def parse(header: str) -> list[Function]:
    """The functions of the header, in its order."""
    pattern = re.compile(
        r"/\*\*\n(?P<doc>(?: \*.*\n)*?) \*/\n(?P<result>[a-z]\w*(?: \w+)* \*?)(?P<name>signdoc_\w+)"
        r"\((?P<arguments>[^)]*)\);"
    )
    functions = []
    for found in pattern.finditer(header):
        arguments = [a.strip() for a in found["arguments"].split(",")]
        functions.append(
            Function(
                found["result"].strip(),
                found["name"],
                tuple(_argument(" ".join(a.split())) for a in arguments if a != "void"),
                found["doc"],
            )
        )
    return functions


def _argument(text: str) -> Argument:
    found = re.fullmatch(r"(.*?[ *])(\w+)", text)
    if found is None:
        raise ValueError(f"an argument that is not understood: {text}")
    return Argument(found[1].strip(), found[2])


def places(functions: list[Function]) -> str:
    return "".join(f"static {t} {name};\n" for name, t in _places(functions).items())


def _places(functions: list[Function]) -> dict[str, str]:
    """A variable for each type of result, with the type."""
    types = {a.type for f in functions for a in f.arguments if a.is_place}
    return {f"place_{_word(t)}": t.removesuffix("*").strip() for t in sorted(types)}


def kinds(functions: list[Function]) -> list[str]:
    return sorted({a.handle for f in functions for a in f.arguments if a.handle})


def neutral(function: Function, which: int) -> str:
    """A condition on ``given``, what the function gives for wrong arguments.

    ``which``: 0 for NULL, 1 for a handle of another kind, 2 after a panic.
    """
    if function.name in INSTEAD:
        return f"given == {INSTEAD[function.name][which]}"
    if function.result == "const char *":
        if "Never NULL" in function.doc or function.name == "signdoc_version":
            return "given != NULL && *given == '\\0'"
        return "given == NULL"
    if function.result == "signdoc_view":
        return "given.ptr == NULL && given.len == 0"
    return "given == NULL" if function.result.endswith("*") else "given == 0"


HEAD = """\
/* Written by tests/c/calls.py from include/signdoc.h. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

/* A live handle of each kind. */
static struct {
%(fields)s} right;

static signdoc_error *error;
%(places)s
static int64_t any_read(void *context, void *buffer, size_t room) {
    (void)context, (void)buffer, (void)room;
    return 0;
}

static int32_t any_write(void *context, size_t index, const void *bytes, size_t len) {
    (void)context, (void)index, (void)bytes, (void)len;
    return 0;
}

static int32_t any_result(void *context, size_t index, const signdoc_results *result) {
    (void)context, (void)index, (void)result;
    return 0;
}

static int32_t any_progress(void *context, uint64_t to_send, uint64_t sent, uint64_t received) {
    (void)context, (void)to_send, (void)sent, (void)received;
    return 0;
}

static int32_t any_log(void *context, int32_t level, const char *id, const char *message) {
    (void)context, (void)level, (void)id, (void)message;
    return 0;
}

static int32_t any_state(void *context, const char *state) {
    (void)context, (void)state;
    return 0;
}

static void make_fixtures(void) {
    struct sandbox sandbox = sandbox_of("test");
    right.options = sandbox_options(&sandbox);
    right.client = sandbox_client(&sandbox);
    right.call = signdoc_call_new();
    right.convert_options = signdoc_convert_options_new();
    right.documents = signdoc_documents_new();
    CHECK_OK(signdoc_documents_add_bytes(right.documents, "%%PDF-1.4", 8, NULL, &error), &error);
    CHECK_OK(signdoc_convert_options_set_strict(right.convert_options, 0, &error), &error);
    CHECK_OK(signdoc_convert(right.client, right.documents, NULL, right.convert_options, 0,
                             right.call, &right.results, &error), &error);
    CHECK_OK(signdoc_call_last_answer(right.call, &right.answer, &error), &error);
    CHECK_INT(signdoc_convert(right.client, right.documents, NULL, NULL, 0, NULL,
                              &place_signdoc_results, &right.error),
              SIGNDOC_E_CONVERSION_DISABLED);
    CHECK_OK(signdoc_conversion_specs(right.client, 0, NULL, &right.strings, &error), &error);

    signdoc_documents *texts = signdoc_documents_new();
    right.order_request = signdoc_order_request_new();
    CHECK_OK(signdoc_documents_add_text(texts, "text", &error), &error);
    CHECK_OK(signdoc_order_request_set(right.order_request, "name", "o", &error), &error);
    CHECK_OK(signdoc_order_create(right.client, SIGNDOC_ORDER_SDO, right.order_request, texts, 0,
                                  NULL, &right.order, &error), &error);
    CHECK_OK(signdoc_login_begin(right.client, right.order, "https://shop.example/callback", NULL,
                                 NULL, NULL, 0, NULL, &right.login, &error), &error);
    char *callback = sandbox_visit(&sandbox, signdoc_login_url(right.login), "sign");
    CHECK_OK(signdoc_login_finish(right.client, signdoc_login_token(right.login), callback, 0,
                                  NULL, &right.identity, &error), &error);
    CHECK_OK(signdoc_order_download(right.client, right.order, NULL, NULL, 0, 0, NULL,
                                    &right.download, &error), &error);
    signdoc_documents_free(texts);
    free(callback);

    static const unsigned char digest[32] = {1};
    signdoc_login *csc = NULL;
    right.csc_request = signdoc_csc_request_new();
    CHECK_OK(signdoc_csc_request_set(right.csc_request, "lang", "en", &error), &error);
    for (int spent = 1; spent >= 0; spent--) {
        CHECK_OK(signdoc_csc_begin(right.client, "https://shop.example/callback",
                                   right.csc_request, &csc, &error), &error);
        callback = sandbox_visit(&sandbox, signdoc_login_url(csc), "sign");
        CHECK_OK(signdoc_csc_finish(right.client, signdoc_login_token(csc), callback, 0, NULL,
                                    &right.csc_session, &error), &error);
        signdoc_login_free(csc);
        free(callback);
        if (spent) {
            CHECK_OK(signdoc_csc_sign_hashes(right.client, right.csc_session, digest, 1,
                                             sizeof digest, right.csc_request, 0, NULL,
                                             &right.csc_signed, &error), &error);
            signdoc_csc_session_free(right.csc_session);
        }
    }
    right.bundle_options = signdoc_bundle_options_new();
    right.verify_options = signdoc_verify_options_new();
    CHECK_OK(signdoc_verify(right.documents, NULL, &right.report, &error), &error);
    CHECK_OK(signdoc_preflight(right.documents, &right.findings, &error), &error);
    signdoc_documents *stamped = signdoc_documents_new();
    const char *data = getenv("VERIFICATION");
    CHECK(data != NULL);
    char *path = path_in(data == NULL ? "" : data, "stamped.pdf");
    right.extend_options = signdoc_extend_options_new();
    CHECK_OK(signdoc_documents_add_path(stamped, path, &error), &error);
    CHECK_OK(signdoc_extend_options_set(right.extend_options, "level", "B-LT", &error), &error);
    CHECK_OK(signdoc_extend_options_set(right.extend_options, "fetch", "false", &error), &error);
    CHECK_OK(signdoc_extend_options_set(right.extend_options, "at", "1795179600", &error), &error);
    CHECK_OK(signdoc_extend(stamped, NULL, right.extend_options, NULL, 0, NULL, &right.extended,
                            &error), &error);
    signdoc_documents_free(stamped);
    free(path);
}

static void free_fixtures(void) {
%(frees)s}
"""


def head(functions: list[Function]) -> str:
    names = [kind.removeprefix("signdoc_") for kind in kinds(functions)]
    return HEAD % {
        "fields": "".join(f"    signdoc_{name} *{name};\n" for name in names),
        "places": places(functions),
        "frees": "".join(f"    signdoc_{name}_free(right.{name});\n" for name in names),
    }


def misuse(functions: list[Function]) -> str:
    """The program that calls every function in the wrong way."""
    out = [head(functions), MISUSE]
    for function in functions:
        out.append(f"\nstatic void misuse_{function.name}(void) {{\n")
        out.append(f'    test("{function.name}");\n')
        out.append(_refused(function) if function.fallible else _neutral(function))
        out.append("}\n")
    # Lists of words look best one a line.
    calls = "".join(f"    misuse_{function.name}();\n" for function in functions)
    names = "".join(f'    puts("called {function.name}");\n' for function in functions)
    unwritten = "".join(f"    CHECK(is_empty(&{p}, sizeof {p}));\n" for p in _places(functions))
    out.append(MISUSE_MAIN % {"calls": calls, "names": names, "unwritten": unwritten})
    return "".join(out)


MISUSE = """
#include <stdio.h>

/* Memory that is no handle, and one that is none of ours although it looks aligned. */
static char no_handle[256];

/* Refused with this number and with the name of the argument; no result is written. */
static void check_refused(int32_t code, int32_t wanted, const char *argument, const char *what) {
    if (code != wanted || signdoc_error_code(error) != wanted) {
        printf("%s gives %d\\n", what, (int)code);
    }
    CHECK_INT(code, wanted);
    CHECK_INT(signdoc_error_code(error), wanted);
    CHECK_HAS(signdoc_error_message(error), argument);
    signdoc_error_free(error);
    error = NULL;
}
"""

MISUSE_MAIN = """
static int is_empty(const void *place, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (((const char *)place)[i] != 0) {
            return 0;
        }
    }
    return 1;
}

static void freed_handles_are_refused(void) {
    test("freed handles are refused");
    if (watching_tool() != NULL) {
        left_out("handles that are used after they were freed", "the tool rightly objects");
        return;
    }
    signdoc_options *options = signdoc_options_new();
    signdoc_options_free(options);
    CHECK_INT(signdoc_options_set(options, "scope", "x", NULL), SIGNDOC_E_INVALID_HANDLE);
    signdoc_options_free(options);
    signdoc_documents *documents = signdoc_documents_new();
    signdoc_documents_free(documents);
    signdoc_documents_free(documents);
    CHECK_INT(signdoc_documents_count(documents), 0);
}

int main(void) {
    make_fixtures();
%(calls)s    freed_handles_are_refused();
    /* No failing call has written a result. */
%(unwritten)s    /* What was freed as another kind is still alive. */
    CHECK_INT(signdoc_documents_count(right.documents) > 0, 1);
    CHECK_INT(signdoc_error_code(right.error), SIGNDOC_E_CONVERSION_DISABLED);
    CHECK_INT(signdoc_results_count(right.results), 1);
    CHECK_INT(signdoc_stopped_panics(), 0);
    free_fixtures();
%(names)s    return tests_end();
}
"""


def _refused(function: Function) -> str:
    out = []
    first = next((a for a in function.arguments if not function.may_be_null(a)), None)
    if first is not None and first.name != "error":
        values = function.nothing()
        out.append(f"    CHECK_INT({function.call(values)}, SIGNDOC_E_NULL_POINTER);\n")
    for argument in function.arguments[:-1]:
        for value, code in _wrong(function, argument):
            values = function.right() | {argument.name: value}
            call = function.call(values)
            shown = call.replace("\\", "\\\\").replace('"', '\\"')
            out.append(f'    check_refused({call}, {code}, "{argument.name}",\n')
            out.append(f'                  "{shown}");\n')
    return "".join(out)


def _wrong(function: Function, argument: Argument) -> list[tuple[str, str]]:
    """Values the argument must not have, and the number each gives."""
    wrong = []
    pointer = argument.handle or argument.is_text or argument.is_place or argument.is_function
    if pointer and not function.may_be_null(argument):
        wrong.append(("NULL", "SIGNDOC_E_NULL_POINTER"))
    if argument.handle:
        wrong += [(value, "SIGNDOC_E_INVALID_HANDLE") for value in _no_handles(argument)]
    if argument.is_text:
        wrong.append(('"\\xc3("', "SIGNDOC_E_INVALID_UTF8"))
        wrong.append(('"abc\\xed\\xa0\\x80"', "SIGNDOC_E_INVALID_UTF8"))
    return wrong


def _no_handles(argument: Argument) -> list[str]:
    other = "documents" if argument.handle != "signdoc_documents" else "call"
    values = [f"right.{other}", "no_handle", "(no_handle + 1)"]
    return [f"({argument.type})(void *){value}" for value in values]


def _neutral(function: Function) -> str:
    out = []
    if not function.arguments:
        return "    CHECK(1);\n"
    values = function.nothing()
    out.append(_given(function, values, 0))
    argument = function.arguments[0]
    if argument.handle:
        for value in _no_handles(argument):
            out.append(_given(function, function.right() | {argument.name: value}, 1))
    for argument in function.arguments[1:]:
        most = "INT32_MAX" if argument.type == "int32_t" else "SIZE_MAX"
        wrong = ["NULL", '"\\xc3("'] if argument.is_text else [most]
        for value in wrong:
            out.append(_given(function, function.right() | {argument.name: value}, 0))
    return "".join(out)


def _given(function: Function, values: dict[str, str], which: int) -> str:
    if function.result == "void":
        return f"    {function.call(values)};\n    CHECK(1);\n"
    space = "" if function.result.endswith("*") else " "
    return (
        f"    {{\n        {function.result}{space}given = {function.call(values)};\n"
        f"        CHECK({neutral(function, which)});\n    }}\n"
    )


PANICS_HEAD = """
#include <stdio.h>

static uint64_t stopped;

static void begin(const char *function) {
    test(function);
    stopped = signdoc_stopped_panics();
    setenv("SIGNDOC_PANIC_IN", function, 1);
}

/* One panic was stopped, and the library is as well as before. */
static void end(const char *function) {
    unsetenv("SIGNDOC_PANIC_IN");
    CHECK_INT(signdoc_stopped_panics(), stopped + 1);
    CHECK_TEXT(signdoc_version(), SIGNDOC_VERSION);
    printf("survived %s\\n", function);
}

static void check_panicked(int32_t code, const char *function) {
    CHECK_INT(code, SIGNDOC_E_PANIC);
    CHECK_INT(signdoc_error_code(error), SIGNDOC_E_PANIC);
    CHECK_HAS(signdoc_error_message(error), function);
    CHECK_TEXT(signdoc_error_category(error), "Internal");
    signdoc_error_free(error);
    error = NULL;
}
"""


def panics(functions: list[Function]) -> str:
    """The program that makes every function panic."""
    # Whole lines, so that what panics print in between does not tear them.
    begin = "    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);\n    make_fixtures();\n"
    out = [head(functions), PANICS_HEAD, f"\nint main(void) {{\n{begin}"]
    for function in functions:
        out.append(f'    begin("{function.name}");\n')
        values = function.right()
        if function.fallible:
            out.append(f'    check_panicked({function.call(values)}, "{function.name}");\n')
        else:
            out.append(_given(function, values, 2))
        out.append(f'    end("{function.name}");\n')
    out.append("    free_fixtures();\n    return tests_end();\n}\n")
    return "".join(out)


def constants(table: dict[str, list[dict[str, object]]]) -> str:
    """A file that compiles only where every constant of the header has its number."""
    out = ["#include <signdoc.h>\n"]
    for row in [*table["codes"], *table["warnings"]]:
        constant = row["constant"]
        out.append(f'_Static_assert({constant} == {row["number"]}, "{constant}");\n')
    out.append('_Static_assert(sizeof(signdoc_view) == sizeof(void *) + sizeof(size_t), "");\n')
    out.append('_Static_assert(sizeof(signdoc_buffer) == sizeof(signdoc_view), "");\n')
    return "".join(out)
