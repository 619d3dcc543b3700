"""Evidence bundles before EU DSS: the committed ones, and one that is packed anew and changed."""

import io
import zipfile

MANIFEST = "META-INF/ASiCManifest.xml"


def packed_anew(container, *, change=None, drop=None, add=None):
    """The container from another program, with one thing changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(container)) as good, zipfile.ZipFile(out, "w") as anew:
        for name in good.namelist():
            if name != drop:
                data = good.read(name)
                anew.writestr(name, data + b"\n" if name == change else data)
        if add:
            anew.writestr(add, b"more")
    return out.getvalue()


def containers(data):
    """Names, bytes, the check of ours that fails (None: it verifies), and what EU DSS says."""
    whole = (data / "bundle.asice").read_bytes()
    unstamped = (data / "bundle-unstamped.asice").read_bytes()
    return [
        ("whole", whole, None, "accepts"),
        ("of an sdo", (data / "bundle-sdo.asice").read_bytes(), None, "accepts"),
        ("without timestamp", unstamped, None, "no timestamp"),
        ("packed anew", packed_anew(whole), None, "accepts"),
        ("document changed", packed_anew(whole, change="signed.pdf"), "contents", "changed"),
        ("order changed", packed_anew(whole, change="order.json"), "contents", "changed"),
        ("file missing", packed_anew(whole, drop="order.json"), "manifest", "missing"),
        # EU DSS is asked for facts, and has none about files that nobody vouches for.
        ("file added", packed_anew(whole, add="extra.txt"), "manifest", "accepts"),
        (
            "manifest changed",
            packed_anew(whole, change=MANIFEST),
            "container_timestamp",
            "changed; not intact",
        ),
    ]
