#!/bin/sh
# Formatters and linters; every finding is an error.
. "$(dirname "$0")/lib.sh"
step "rustfmt"
cargo fmt --all --check
step "clippy"
cargo clippy -q --workspace --all-targets --locked -- -D warnings
step "rustdoc: every link leads somewhere"
RUSTDOCFLAGS="-D warnings" cargo doc -q --locked --no-deps -p signdoc --features engine,signing
step "the lock file of the fuzz targets is current"
cargo metadata -q --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null
step "ruff and mypy"
"$VENV/bin/ruff" check .
"$VENV/bin/ruff" format --check .
"$VENV/bin/mypy"
if have cargo-deny; then
    step "cargo-deny: licences, bans, sources"
    cargo deny --locked check licenses bans sources
else
    echo "note: cargo-deny is not installed; licences, bans and sources are not checked"
fi
