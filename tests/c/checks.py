"""What is checked about the header, the library and its packages without running a test program."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
from pathlib import Path

import calls
from work import ROOT, Libraries, Report, run

HEADER = ROOT / "include" / "signdoc.h"
SYMBOLS = ROOT / "include" / "signdoc.symbols"
TABLE = ROOT / "tests" / "vectors" / "errors.json"

STANDARDS = {
    "c": ["c99", "c11", "c17", "c2x"],
    "c++": ["c++11", "c++14", "c++17", "c++20"],
}
COMPILERS = {"c": ["gcc", "clang"], "c++": ["g++", "clang++"]}
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


def header_compiles_alone(folder: Path, report: Report) -> None:
    """As every standard, with every compiler there is, and also when it is included twice."""
    for language, standards in STANDARDS.items():
        source = folder / ("alone.c" if language == "c" else "alone.cpp")
        source.write_text("#include <signdoc.h>\n#include <signdoc.h>\nint only(void);\n")
        headers = [source]
        if language == "c++":
            for header in (path.name for path in sorted(HEADER.parent.glob("*.hpp"))):
                headers.append(folder / f"alone-{header}.cpp")
                headers[-1].write_text(f"#include <{header}>\n#include <{header}>\nint only();\n")
        for compiler in COMPILERS[language]:
            if shutil.which(compiler) is None:
                report.omit(f"the header with {compiler}", "it is not installed")
                continue
            for standard in standards:
                for one in headers:
                    _compiles_alone(one, compiler, standard, report)


def _compiles_alone(source: Path, compiler: str, standard: str, report: Report) -> None:
    header = source.stem.removeprefix("alone").removeprefix("-") or "signdoc.h"
    what = f"{header} as {standard} with {compiler}"
    command = [compiler, f"-std={standard}", *STRICT, f"-I{HEADER.parent}", str(source)]
    done = run(command)
    if "unrecognized command-line option" in done.stdout or "invalid value" in done.stdout:
        report.omit(what, "the compiler does not know this standard")
        return
    report.check(what, done.stdout if done.returncode else "")


def constants_are_the_table(folder: Path, report: Report) -> None:
    source = folder / "constants.c"
    source.write_text(calls.constants(json.loads(TABLE.read_text())))
    done = run(["cc", "-std=c11", *STRICT, f"-I{HEADER.parent}", str(source)])
    report.check(
        "the constants are those of the error table", done.stdout if done.returncode else ""
    )


def library_exports_the_symbols(libraries: Libraries, report: Report) -> None:
    """Exactly the symbols of the list, which are exactly the functions of the header."""
    wanted = SYMBOLS.read_text().split()
    declared = sorted(function.name for function in calls.parse(HEADER.read_text()))
    report.check(
        "the header declares the symbols of the list",
        "" if declared == wanted else f"header {declared}\nlist {wanted}",
    )
    library = libraries.prefix / "lib" / "libsigndoc.so"
    told = run(["nm", "-D", "--defined-only", str(library)])
    exported = sorted(line.split()[-1] for line in told.stdout.splitlines())
    odd = sorted(set(exported) ^ set(wanted))
    report.check(f"the library exports {len(wanted)} functions and nothing else", " ".join(odd))


def library_has_its_name(libraries: Libraries, report: Report) -> None:
    found = re.search(r"#define SIGNDOC_ABI_VERSION (\d+)", HEADER.read_text())
    told = run(["readelf", "-d", str(libraries.prefix / "lib" / "libsigndoc.so")]).stdout
    wanted = f"Library soname: [libsigndoc.so.{found[1] if found else '?'}]"
    report.check("the shared library has its SONAME", "" if wanted in told else told)


def library_tells_the_table(libraries: Libraries, report: Report) -> None:
    """The error table inside is the committed one, row by row."""

    class Buffer(ctypes.Structure):
        _fields_ = (("ptr", ctypes.c_void_p), ("len", ctypes.c_size_t))

    library = ctypes.CDLL(str(libraries.prefix / "lib" / "libsigndoc.so"))
    buffer = Buffer()
    code = library.signdoc_error_table_json(ctypes.byref(buffer), None)
    inside = json.loads(ctypes.string_at(buffer.ptr, buffer.len)) if code == 0 else {}
    library.signdoc_buffer_free(ctypes.byref(buffer))
    same = inside == json.loads(TABLE.read_text())
    report.check("the library tells the committed error table", "" if same else f"code {code}")


def native_libraries_are_listed(libraries: Libraries, report: Report) -> None:
    listed = (ROOT / "ffi/package/native-static-libs").read_text().strip()
    problem = f"the compiler says {libraries.native_libs!r}, the list {listed!r}"
    report.check(
        "the static library needs what is listed",
        "" if listed == libraries.native_libs else problem,
    )


def packages_are_found(folder: Path, libraries: Libraries, report: Report) -> dict[str, Path]:
    """Builds the example as users do: by pkg-config, shared and static, and by CMake."""
    built = {}
    example = str(ROOT / "examples" / "convert.c")
    rpath = f"-Wl,-rpath,{libraries.prefix / 'lib'}"
    environment = {"PKG_CONFIG_PATH": str(libraries.prefix / "lib/pkgconfig"), "PATH": _path()}
    if shutil.which("pkg-config") is None:
        report.omit("pkg-config", "it is not installed")
    else:
        for kind, option in (("shared", []), ("static", ["--static"])):
            program = folder / f"convert-{kind}"
            flags = run(["pkg-config", "--cflags", "--libs", *option, "signdoc"], env=environment)
            link = flags.stdout.split()
            if kind == "static":
                archive = str(libraries.prefix / "lib" / "libsigndoc.a")
                link = [archive if flag == "-lsigndoc" else flag for flag in link]
            strict = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
            done = run(["cc", *strict, "-o", str(program), example, *link, rpath])
            built[kind] = program
            problem = flags.stdout + done.stdout if done.returncode else ""
            report.check(f"pkg-config, {kind}", problem)
    if shutil.which("cmake") is None:
        report.omit("the CMake package", "cmake is not installed")
        return built
    _with_cmake(folder / "cmake", libraries, example, report, built)
    return built


def _path() -> str:
    return os.environ["PATH"]


PROJECT = """\
cmake_minimum_required(VERSION 3.16)
project(consumer C)
find_package(signdoc 0.1 REQUIRED)
add_executable(convert-cmake {example})
target_link_libraries(convert-cmake PRIVATE signdoc::signdoc)
add_executable(convert-cmake-static {example})
target_link_libraries(convert-cmake-static PRIVATE signdoc::static)
"""


def _with_cmake(
    folder: Path, libraries: Libraries, example: str, report: Report, built: dict[str, Path]
) -> None:
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(PROJECT.format(example=example))
    out = folder / "build"
    configured = run(
        ["cmake", "-S", str(folder), "-B", str(out), f"-DCMAKE_PREFIX_PATH={libraries.prefix}"]
    )
    done = run(["cmake", "--build", str(out)])
    report.check("the CMake package", configured.stdout + done.stdout if done.returncode else "")
    built["cmake"] = out / "convert-cmake"
    built["cmake, static"] = out / "convert-cmake-static"
    # A program for another minor version before 1.0 must not get this one.
    (folder / "CMakeLists.txt").write_text(PROJECT.format(example=example).replace("0.1", "0.0"))
    refused = run(["cmake", "-S", str(folder), "-B", str(folder / "older"),
                   f"-DCMAKE_PREFIX_PATH={libraries.prefix}"])  # fmt: skip
    report.check(
        "the CMake package refuses another minor version",
        "" if refused.returncode else refused.stdout,
    )
