"""Programs in C, C++ and Go that use the library as it is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path

import work
from work import HERE, ROOT, Libraries, Programs, Report, run

HPP = ROOT / "include" / "signdoc.hpp"
CPP = ROOT / "tests" / "cpp"
GO = ROOT / "go"
GO_SETS = ("conversion", "verification", "orders", "csc", "open")
STALL = {"path": "/signdoc/convert", "times": None, "fault": {"kind": "stall"}}


def cpp(
    programs: Programs,
    libraries: Libraries,
    compiler: str,
    *,
    name: str,
    kind: str,
    library: Path | None = None,
    flags: tuple[str, ...] = (),
) -> Path | None:
    """A program in C++, built as strictly as can be."""
    report = programs.report
    if shutil.which(compiler) is None:
        report.omit(f"C++ with {compiler}", "it is not installed")
        return None
    library = library or libraries.prefix / "lib"
    harness = programs.folder / f"harness-{kind}.o"
    source = CPP / f"{name}.cpp"
    program = programs.folder / f"cpp-{name}-{kind}"
    include = [f"-I{ROOT / 'include'}", f"-I{HERE}"]
    cc = {"g++": "gcc", "clang++": "clang"}[compiler]
    work.must(
        [cc, "-D_GNU_SOURCE", "-g", *flags, *include, "-c", str(HERE / "harness.c"), "-o",
         str(harness)]
    )  # fmt: skip
    strict = ["-std=c++11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g", *flags]
    more = ["-lcjson"] if "cases.hpp" in source.read_text() else []
    link = [f"-L{library}", "-lsigndoc", f"-Wl,-rpath,{library}", "-lpthread", *more]
    command = [compiler, *strict, *include, str(source), str(harness), "-o", str(program), *link]
    done = run(command)
    if done.returncode != 0:
        report.fail(f"compiling C++, {name}, {kind}", done.stdout)
        return None
    return program


def cpp_with_packages(folder: Path, libraries: Libraries, report: Report) -> None:
    """The header compiles with what pkg-config says, and through the CMake package."""
    source = folder / "package.cpp"
    source.write_text("#include <signdoc.hpp>\nint main() { return signdoc::version().empty(); }\n")
    if shutil.which("g++") is None:
        report.omit("the packages with C++", "g++ is not installed")
        return
    rpath = f"-Wl,-rpath,{libraries.prefix / 'lib'}"
    if shutil.which("pkg-config"):
        environment = os.environ | {"PKG_CONFIG_PATH": str(libraries.prefix / "lib/pkgconfig")}
        told = run(["pkg-config", "--cflags", "--libs", "signdoc"], env=environment).stdout.split()
        program = folder / "package-cpp"
        done = run(["g++", "-std=c++11", str(source), *told, rpath, "-o", str(program)])
        problem = done.stdout if done.returncode else ""
        report.check("pkg-config, C++", problem or run([str(program)]).stdout)
    if shutil.which("cmake"):
        place = folder / "cmake-cpp"
        place.mkdir()
        (place / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(consumer CXX)\n"
            "find_package(signdoc 0.1 REQUIRED)\n"
            f"add_executable(consumer {source})\n"
            "target_link_libraries(consumer PRIVATE signdoc::signdoc)\n"
        )
        prefix = f"-DCMAKE_PREFIX_PATH={libraries.prefix}"
        made = run(["cmake", "-S", str(place), "-B", str(place / "build"), prefix])
        done = run(["cmake", "--build", str(place / "build")])
        problem = made.stdout + done.stdout if done.returncode else ""
        report.check("the CMake package, C++", problem)


def sign_example(programs: Programs, libraries: Libraries, ready: dict[str, str]) -> None:
    """The example that has documents signed, with the sandbox's end user."""
    report = programs.report
    program = programs.folder / "sign"
    library = libraries.prefix / "lib"
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    link = [f"-L{library}", "-lsigndoc", f"-Wl,-rpath,{library}"]
    source = str(ROOT / "examples" / "sign.c")
    done = run(["cc", *strict, f"-I{ROOT / 'include'}", source, "-o", str(program), *link])
    report.check("the signing example compiles", done.stdout if done.returncode else "")
    if done.returncode:
        return
    loan = str(Path(programs.environment["SAMPLES"]) / "loan-agreement.pdf")
    for action, status in (("sign", 0), ("cancel", 8)):
        out = programs.folder / f"signed-{action}"
        command = [str(program), str(out), "https://shop.example/callback", loan, loan]
        child = subprocess.Popen(command, env=_settings(ready), stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        told = [child.stdout.readline(), child.stdout.readline()]
        _control(ready, "visit", {"url": told[1].strip(), "action": action})
        rest, _ = child.communicate(timeout=work.PATIENCE)
        signed = sorted(path.name for path in out.glob("*.pdf"))
        wanted = ["loan-agreement-2.pdf", "loan-agreement.pdf"] if status == 0 else []
        good = child.returncode == status and signed == wanted
        problem = "" if good else f"{child.returncode} {signed}\n{''.join(told)}{rest}"
        report.check(f"the signing example: {action}", problem)


def _settings(ready: dict[str, str]) -> dict[str, str]:
    keys = ("issuer", "client_id", "client_secret")
    return {f"SIGNDOC_{key.upper()}": ready[key] for key in keys}


def go(programs: Programs, libraries: Libraries, ready: dict[str, str], log: Path | None) -> None:
    """The Go package's own tests, and its example; `log` gets what the tests print."""
    report = programs.report
    compiler = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    missing = next((name for name in ("pkg-config", "cc") if shutil.which(name) is None), None)
    if compiler is None or missing:
        report.omit("the Go package", f"{missing or 'go'} is not installed")
        return
    library = libraries.prefix / "lib"
    environment = programs.environment | {
        "PKG_CONFIG_PATH": str(library / "pkgconfig"),
        "CGO_LDFLAGS": f"-Wl,-rpath,{library}",
        "GOFLAGS": "-mod=readonly",
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
    }

    def step(what: str, *words: str) -> subprocess.CompletedProcess[str]:
        done = run([str(compiler), *words], cwd=GO, env=environment)
        shown = "\n".join(done.stdout.splitlines()[-80:])
        report.check(f"Go: {what}", shown if done.returncode else "")
        return done

    formatter = Path(compiler).with_name("gofmt")
    if formatter.exists():
        report.check("Go: formatted", run([str(formatter), "-l", str(GO)]).stdout)
    step("vet", "vet", "./...")
    tested = step("tests", "test", "-count=1", "-v", ".")
    if log:
        log.write_text(tested.stdout)
    for line in tested.stdout.splitlines():
        found = re.search(r"left out: (.*)", line)
        if found:
            report.omit("in Go", found[1])
    wanted = {f"{name}/{case['id']}" for name in GO_SETS for case in _cases(name)}
    ran = set(re.findall(r"^vector (\S+)$", tested.stdout, re.MULTILINE))
    report.check("every vector ran in Go", " ".join(sorted(wanted ^ ran)))
    program = programs.folder / "convert-go"
    if step("the example is built", "build", "-o", str(program), "./examples/convert").returncode:
        return
    example(program, ready, programs, report)


def _cases(name: str) -> list[dict[str, str]]:
    cases: list[dict[str, str]] = json.loads((work.VECTORS / f"{name}.json").read_text())["cases"]
    return cases


def example(program: Path, ready: dict[str, str], programs: Programs, report: Report) -> None:
    """The example converts, says what is not set, and is interrupted."""
    settings = _settings(ready)
    samples = sorted(str(path) for path in Path(programs.environment["SAMPLES"]).glob("*.pdf"))
    out = programs.folder / "out-go"
    _control(ready, "reset", None)
    done = run([str(program), str(out), *samples], env=settings)
    lines = len(re.findall(r"^\S+\.pdf ", done.stdout, re.MULTILINE))
    good = done.returncode == 8 and lines == len(samples)
    report.check("Go: the example converts", "" if good else f"{done.returncode}\n{done.stdout}")
    done = run([str(program), str(out), *samples], env={})
    good = done.returncode == 2 and "SIGNDOC_ISSUER" in done.stdout
    report.check("Go: the example says what is not set", "" if good else done.stdout)

    _control(ready, "reset", None)
    _control(ready, "faults", STALL)
    child = subprocess.Popen(
        [str(program), str(programs.folder / "none-go"), samples[0]],
        env=settings,
        stderr=subprocess.PIPE,
        text=True,
    )
    waited = _until(lambda: "/signdoc/convert" in _control(ready, "requests", None), child)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=work.PATIENCE)
    good = waited and child.returncode == 130 and "SIGNDOC_E_CANCELLED" in said
    report.check("Go: the example is interrupted", "" if good else f"{child.returncode}\n{said}")
    left = list((programs.folder / "none-go").glob("*"))
    report.check("Go: nothing is left of it", "" if not left else str(left))
    _control(ready, "reset", None)


def _control(ready: dict[str, str], what: str, body: object) -> str:
    method = "GET" if what == "requests" else "POST"
    request = urllib.request.Request(
        ready["control_url"] + what,
        data=json.dumps(body).encode() if body is not None else None,
        headers={"Content-Type": "application/json"},
        method=method,
    )
    straight = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with straight.open(request) as answer:
        return str(answer.read().decode())


def _until(holds: Callable[[], bool], child: subprocess.Popen[str]) -> bool:
    """Waits until something holds, as long as the child runs."""
    while child.poll() is None:
        if holds():
            return True
        try:
            child.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            continue
    return False
