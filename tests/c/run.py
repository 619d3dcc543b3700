#!/usr/bin/env python3
"""Builds and runs all tests of the C interface; says what is left out and why.

    tests/c/run.py [--quick] [--cpp-log FILE] [--go-log FILE]

It checks the header, the exported symbols and the packages, then runs the test programs plain,
under valgrind and with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, all against
two sandboxes. There are no suppressions. ``--quick`` runs them plain only. Programs in C++ and Go
follow; which vectors they ran is kept in the files of ``--cpp-log`` and ``--go-log``.

It needs cargo, python3 and a C compiler; and, as Debian packages, valgrind, libcjson-dev,
pkg-config, cmake, clang, g++ and golang-go for what is left out, with the reason, where they are
missing.

Exit status 0 when everything passed, 1 when something failed.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import calls
import checks
import consumers
import work
from work import HERE, Libraries, Programs, Report

PROGRAMS = (
    "flow",
    "callbacks",
    "orders",
    "csc",
    "cancel",
    "fork",
    "threads",
    "vectors",
    "verify",
    "order_vectors",
    "csc_vectors",
)
SETS = {
    "vectors": "conversion",
    "verify": "verification",
    "order_vectors": "orders",
    "csc_vectors": "csc",
}
OPEN = work.VECTORS / "open.json"
CJSON = Path("/usr/include/cjson/cJSON.h")

MEMCHECK = [
    "valgrind",
    "--quiet",
    "--fair-sched=try",
    "--num-callers=40",
    "--leak-check=full",
    "--show-leak-kinds=definite,possible",
    "--errors-for-leak-kinds=definite,possible",
    "--error-exitcode=99",
]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def sources(folder: Path, report: Report) -> dict[str, Path]:
    """The test programs by name; two are written from the header."""
    functions = calls.parse(checks.HEADER.read_text())
    (folder / "misuse.c").write_text(calls.misuse(functions))
    (folder / "panics.c").write_text(calls.panics(functions))
    found = {name: HERE / f"{name}.c" for name in PROGRAMS}
    found |= {"misuse": folder / "misuse.c", "panics": folder / "panics.c"}
    if not CJSON.exists():
        report.omit("the vectors in C", f"{CJSON} is missing; the package is libcjson-dev")
        for name in SETS:
            del found[name]
    return found


def every_function(said: str | None, word: str, report: Report) -> None:
    """The program names each exported function as one it dealt with."""
    if said is None:
        return
    named = {line.split()[1] for line in said.splitlines() if line.startswith(f"{word} ")}
    missing = set(checks.SYMBOLS.read_text().split()) - named
    report.check(f"every exported function was {word}", " ".join(sorted(missing)))


def cases(name: str) -> Path:
    """The file with the cases of a program."""
    return work.VECTORS / f"{SETS[name]}.json"


def wanted(name: str) -> list[str]:
    """What a program runs: the cases of its own file, and those of open.json that are like them."""
    own = [f"{SETS[name]}/{case['id']}" for case in json.loads(cases(name).read_text())["cases"]]
    open_ones = json.loads(OPEN.read_text())["cases"]
    return own + [f"open/{case['id']}" for case in open_ones if case["like"] == SETS[name]]


def every_vector(said: str | None, name: str, language: str, report: Report) -> list[str]:
    """The lines of the cases that ran, for the comparison between languages."""
    if said is None:
        return []
    ran = re.findall(r"^vector (\S+)$", said, re.MULTILINE)
    problem = "" if ran == wanted(name) else f"{len(ran)} of {len(wanted(name))}"
    report.check(f"every vector ran in {language}, {SETS[name]}", problem)
    return [f"vector {case}\n" for case in ran]


def arguments(name: str) -> list[str]:
    if name not in SETS:
        return []
    return [str(cases(name)), str(work.DATA) if name == "verify" else str(OPEN)]


def plain(programs: Programs, found: dict[str, Path], libraries: Libraries) -> dict[str, Path]:
    """Runs every program as it is; the compiled programs."""
    compiled = {}
    for name, source in found.items():
        library = libraries.panicking if name == "panics" else libraries.prefix / "lib"
        program = programs.compile(source, name, library, ["cc"])
        if program is None:
            continue
        compiled[name] = program
        said = programs.run(name, program, arguments=arguments(name))
        if name in SETS:
            print("".join(every_vector(said, name, "C", programs.report)), end="")
        elif name in ("misuse", "panics"):
            every_function(said, "called" if name == "misuse" else "survived", programs.report)
    return compiled


def with_static_library(programs: Programs, found: dict[str, Path], libraries: Libraries) -> None:
    archive = libraries.prefix / "lib" / "libsigndoc.a"
    alone = libraries.prefix / "static"
    alone.mkdir()
    (alone / "libsigndoc.a").symlink_to(archive)
    flags = ["cc", "-static-libgcc", "-L" + str(alone)]
    program = programs.compile(found["flow"], "flow-static", alone, flags)
    if program:
        programs.run("flow, static library", program)


def under_valgrind(programs: Programs, compiled: dict[str, Path]) -> None:
    if shutil.which("valgrind") is None:
        programs.report.omit("valgrind", "it is not installed")
        return
    for name, program in compiled.items():
        what = f"{name}, valgrind"
        said = programs.run(
            what, program, tool="valgrind", wrapper=MEMCHECK, arguments=arguments(name)
        )
        # Forked children have an exit status of their own; what they did wrong is told as well.
        wrong = [line for line in (said or "").splitlines() if line.startswith("==")]
        if wrong:
            programs.report.fail(what, "\n".join(wrong))


def with_sanitizers(
    programs: Programs, found: dict[str, Path], libraries: Libraries, compiler: str
) -> None:
    """The C side with sanitizers; the library, too, where it could be built so."""
    if shutil.which(compiler) is None:
        programs.report.omit(f"sanitizers with {compiler}", "it is not installed")
        return
    usable = programs.folder / "usable.c"
    usable.write_text("int main(void) { return 0; }\n")
    tried = work.run([compiler, *SANITIZED, str(usable), "-o", str(programs.folder / "usable")])
    if tried.returncode != 0:
        programs.report.omit(f"sanitizers with {compiler}", "its sanitizer library is missing")
        return
    for name, source in found.items():
        shipped = libraries.panicking if name == "panics" else libraries.prefix / "lib"
        for kind, library in (("C side", shipped), ("both sides", libraries.address)):
            if library is None:
                continue
            slug = f"{name}-{compiler}-{kind.replace(' ', '-')}"
            program = programs.compile(source, slug, library, [compiler, *SANITIZED])
            if program:
                programs.run(
                    f"{name}, sanitizers of {compiler}, {kind}",
                    program,
                    tool="a sanitizer",
                    arguments=arguments(name),
                    more=SANITIZERS,
                )


def example(built: dict[str, Path], ready: dict[str, str], folder: Path, report: Report) -> None:
    """Runs the example program in each way it was built."""
    documents = sorted(str(path) for path in (folder / "shown").glob("*.pdf"))
    environment = {
        "SIGNDOC_ISSUER": ready["issuer"],
        "SIGNDOC_CLIENT_ID": ready["client_id"],
        "SIGNDOC_CLIENT_SECRET": ready["client_secret"],
    }
    for kind, program in built.items():
        out = folder / f"out {kind}"
        done = work.run([str(program), str(out), *documents], env=environment)
        # Some samples are there to be refused; without a converter, all of them are.
        lines = len(re.findall(r"^\S+\.pdf ", done.stdout, re.MULTILINE))
        good = done.returncode == 8 and lines == len(documents)
        good = good and (not ready["converter"] or "5 of 8 documents converted" in done.stdout)
        report.check(f"the example, {kind}", "" if good else f"{done.returncode}\n{done.stdout}")
    done = work.run([str(built["shared"]), str(folder / "none"), *documents], env={})
    good = done.returncode == 2 and "SIGNDOC_ISSUER" in done.stdout
    report.check("the example says what is not set", "" if good else done.stdout)


def in_cpp(
    programs: Programs, libraries: Libraries, *, quick: bool, log: Path | None = None
) -> None:
    """The programs in C++: plain, with sanitizers on both sides, and one under valgrind."""
    consumers.cpp_with_packages(programs.folder, libraries, programs.report)
    if log:
        log.unlink(missing_ok=True)
    for name in ("flow", *SETS):
        if name in SETS and not CJSON.exists():
            programs.report.omit("the vectors in C++", f"{CJSON} is missing")
            continue
        program = consumers.cpp(programs, libraries, "g++", name=name, kind="plain")
        if program is None:
            continue
        said = programs.run(f"C++, {name}", program, arguments=arguments(name))
        if name in SETS:
            ran = every_vector(said, name, "C++", programs.report)
            if log:
                with log.open("a") as lines:
                    lines.writelines(ran)
        if quick:
            continue
        # The vectors take the same ways as those in C, which valgrind has watched.
        if name == "flow" and shutil.which("valgrind"):
            programs.run(f"C++, {name}, valgrind", program, tool="valgrind", wrapper=MEMCHECK)
        if libraries.address is None:
            continue
        sanitized = consumers.cpp(
            programs,
            libraries,
            "g++",
            name=name,
            kind="sanitized",
            library=libraries.address,
            flags=tuple(SANITIZED),
        )
        if sanitized:
            programs.run(
                f"C++, {name}, sanitizers",
                sanitized,
                tool="a sanitizer",
                arguments=arguments(name),
                more=SANITIZERS,
            )


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="builds and runs all tests of the C interface")
    parser.add_argument("--quick", action="store_true", help="run the programs plain only")
    parser.add_argument("--cpp-log", type=Path, help="keeps which vectors ran in C++")
    parser.add_argument("--go-log", type=Path, help="keeps what the Go tests print")
    given = parser.parse_args(words)
    report = Report()
    quick: bool = given.quick
    with tempfile.TemporaryDirectory(prefix="signdoc-c-") as place:
        folder = Path(place)
        libraries = work.build(folder, report, sanitized=not quick)
        samples = folder / "samples"
        program = str(work.TARGET / "debug" / "signdoc")
        work.must([program, "samples", "--warnings", "-o", str(samples)], stderr=subprocess.PIPE)
        work.must([program, "samples", "-o", str(folder / "shown")], stderr=subprocess.PIPE)

        checks.header_compiles_alone(folder, report)
        checks.constants_are_the_table(folder, report)
        checks.library_exports_the_symbols(libraries, report)
        checks.library_has_its_name(libraries, report)
        checks.library_tells_the_table(libraries, report)
        checks.native_libraries_are_listed(libraries, report)
        built = checks.packages_are_found(folder, libraries, report)

        found = sources(folder, report)
        with work.sandbox("production") as production, work.sandbox("test") as test:
            programs = Programs(folder, work.settings(production, test, samples), report)
            if "shared" in built:
                example(built, production, folder, report)
            compiled = plain(programs, found, libraries)
            with_static_library(programs, found, libraries)
            if not quick:
                under_valgrind(programs, compiled)
                with_sanitizers(programs, found, libraries, "gcc")
                with_sanitizers(programs, found, libraries, "clang")
            consumers.sign_example(programs, libraries, production)
            in_cpp(programs, libraries, quick=quick, log=given.cpp_log)
            consumers.go(programs, libraries, production, given.go_log)
    return report.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
