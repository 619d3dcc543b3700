"""Has documents signed, downloads and verifies them, on a sandbox of the service.

    python examples/demo_signing.py [FOLDER]

One PAdES order with two documents, and one SEID-SDO order. The end user is played by the sandbox:
nothing leaves this machine. Results stay in FOLDER (default: ``demo``).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import signdoc

REDIRECT = "https://shop.example/callback"


def main() -> int:
    """Signs both kinds of orders and shows what verification says; 1 when it found a problem."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
    command = [sys.executable, "-m", "signdoc", "samples", "-o", str(folder / "samples")]
    subprocess.run([*command, "--overwrite"], check=True, stdout=subprocess.DEVNULL)
    with signdoc.Sandbox() as sandbox, sandbox.client() as client:
        print(f"service:    a sandbox on this machine, {sandbox.base_url}\n")
        reports = [*pades(sandbox, client, folder), *sdo(sandbox, client, folder)]
    fine = sum(report.ok for report in reports)
    print(f"{fine} of {len(reports)} signed files verified, results in {folder / 'signed'}")
    return 0 if fine == len(reports) else 1


def pades(sandbox: signdoc.Sandbox, client: signdoc.Client, folder: Path) -> list[signdoc.Report]:
    """Two PDFs, with a seal of the end user's on the first."""
    paths = [folder / "samples" / name for name in ("loan-agreement.pdf", "photographs.pdf")]
    seal = signdoc.Seal(x=72, y=700, page=1)
    documents = [
        signdoc.PadesDocument(paths[0], "Loan agreement", end_user_seal=seal),
        signdoc.PadesDocument(paths[1], "Photographs of the house"),
    ]
    order = client.pades.create("Loan 4711", documents, visual_seals=True)
    print(f"PAdES:      {order}")
    let_sign(sandbox, client, order)
    client.pades.wait(order, on_state=lambda state: print(f"            {state}"))
    signed = client.pades.download(order, to=folder / "signed", overwrite=True)
    trust = sandbox.trust.encode()
    reports = []
    for one, original in zip(signed.documents, paths, strict=True):
        if one.path is not None:
            reports.append(signdoc.verify(one.path, original=original, trust=trust))
            show(one.path.relative_to(folder), reports[-1])
    return reports


def sdo(sandbox: signdoc.Sandbox, client: signdoc.Client, folder: Path) -> list[signdoc.Report]:
    """A text, as a signed data object."""
    document = signdoc.SdoDocument(text="Lån på 4711 kroner", description="The loan in words")
    order = client.sdo.create("Loan 4711", [document])
    print(f"SEID-SDO:   {order}")
    let_sign(sandbox, client, order)
    client.sdo.wait(order, on_state=lambda state: print(f"            {state}"))
    signed = client.sdo.download(order, to=folder / "signed", overwrite=True)
    reports = []
    for one in signed.documents:
        if one.path is not None:
            reports.append(signdoc.verify(one.path, trust=sandbox.trust.encode()))
            show(one.path.relative_to(folder), reports[-1])
    return reports


def let_sign(sandbox: signdoc.Sandbox, client: signdoc.Client, order: signdoc.Order) -> None:
    """Sends the end user to sign and takes the way back, as a web application does."""
    login = client.login.begin(order, redirect_uri=REDIRECT, scopes=["profile"])
    callback = sandbox.visit(login, person="kari")
    identity = client.login.finish(login.to_token(), callback.url)
    print(f"            signed by {identity.claims['name']}, whom the provider vouches for")


def show(path: Path, report: signdoc.Report) -> None:
    """Prints what verification says of one file."""
    print(f"            {path}: {'verified' if report.ok else 'NOT verified'}")
    for check in report.checks:
        if check.status == "failed":
            print(f"              {check.name}: {check.detail}")


if __name__ == "__main__":
    sys.exit(main())
