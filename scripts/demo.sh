#!/bin/sh
# Converts generated PDFs against the sandbox, through the Python package and through C, and has
# documents signed.
. "$(dirname "$0")/lib.sh"
out=$ROOT/demo
rm -rf "$out"

step "building libsigndoc and the C program (some minutes the first time)"
cargo build -q --locked --release -p signdoc-ffi
mkdir -p build/lib
ln -sf "$CARGO_TARGET_DIR/release/libsigndoc.so" build/lib/libsigndoc.so
ln -sf "$CARGO_TARGET_DIR/release/libsigndoc.so" build/lib/libsigndoc.so.0
cc -std=c99 -Wall -Wextra -o build/convert examples/convert.c -Iinclude \
    -Lbuild/lib -lsigndoc -Wl,-rpath,"$ROOT/build/lib"

step "Python"
"$VENV/bin/python" examples/demo.py demo
step "C"
"$VENV/bin/python" scripts/demo_c.py build/convert demo/c demo/samples/*.pdf
step "signing"
"$VENV/bin/python" examples/demo_signing.py demo
printf '\nThe samples and all results are in demo/.\n'
