"""The Java part: PDFBox, iText, OpenPDF and EU DSS as signers, EU DSS as a judge."""

import os
import pathlib
import shutil
import subprocess

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

FOLDER = pathlib.Path(__file__).resolve().parent / "java"
SIGNERS = ("PDFBox", "iText", "OpenPDF", "DSS")
PASSWORD = "interop"


class Missing(Exception):
    """Why the Java part cannot run here."""


def class_path(fetch=False):
    """Compiles what is not compiled yet; gives the class path.

    Raises Missing without Java and Maven, and, unless `fetch`, where the libraries would have to
    be fetched first, which takes minutes.
    """
    if not shutil.which("java") or not shutil.which("mvn"):
        raise Missing("Java or Maven is not installed")
    target = FOLDER / "target"
    listed = target / "classpath"
    sources = [FOLDER / "pom.xml", *FOLDER.glob("src/main/java/*.java")]
    newest = max(path.stat().st_mtime for path in sources)
    if not _is_current(listed, newest):
        command = ["mvn", "-q", "-B", *([] if fetch else ["--offline"]), "compile"]
        command += ["dependency:build-classpath", f"-Dmdep.outputFile={listed}"]
        made = subprocess.run(command, check=False, capture_output=True, text=True, cwd=FOLDER)
        if made.returncode != 0 and not fetch:
            raise Missing("the Java libraries are not in the local Maven repository (--fetch)")
        if made.returncode != 0:
            raise Missing(f"Maven fails: {made.stdout[-500:]}")
        os.utime(listed)
    return f"{target / 'classes'}{os.pathsep}{listed.read_text().strip()}"


def _is_current(listed, newest):
    if not listed.is_file() or listed.stat().st_mtime < newest:
        return False
    return all(pathlib.Path(jar).exists() for jar in listed.read_text().strip().split(os.pathsep))


def _run(path, program, *arguments):
    run = subprocess.run(
        ["java", "-Xmx1g", "-Djava.awt.headless=true", "-cp", path, program, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
    )
    if run.returncode != 0:
        raise RuntimeError(f"{program}: {run.stderr[-500:]}")
    return run.stdout.splitlines()


def keys(identity, chain, folder):
    """The key of a signer as PKCS #12; gives its path."""
    path = folder / "keys.p12"
    path.write_bytes(
        pkcs12.serialize_key_and_certificates(
            b"signer",
            identity.key,
            identity.certificate,
            [other.certificate for other in chain],
            BestAvailableEncryption(PASSWORD.encode()),
        )
    )
    return path


def sign(path, key_file, jobs, folder):
    """Signs files: (signer, field, box or None, source, target). Gives `ok` or why not for each."""
    listing = folder / "sign.txt"
    listing.write_text(
        "".join(
            "\t".join([who, field, ",".join(map(str, box)) if box else "-", str(a), str(b)]) + "\n"
            for who, field, box, a, b in jobs
        )
    )
    answers = _run(path, "Sign", key_file, PASSWORD, listing)
    assert len(answers) == len(jobs), (len(answers), len(jobs))
    return answers


def judge(path, roots, files, folder):
    """What EU DSS says about each file."""
    listing = folder / "judge.txt"
    listing.write_text("".join(f"{file}\n" for file in files))
    answers = _run(path, "Judge", roots, listing)
    assert len(answers) == len(files), (len(answers), len(files))
    return answers
