#!/bin/sh
# All tests. The logs of the vector runners are kept and compared at the end.
. "$(dirname "$0")/lib.sh"
logs=$ROOT/build/logs
rm -rf "$logs"
mkdir -p "$logs"

# Runs a command, shows its output, and keeps it.
logged() {
    log=$logs/$1.log
    shift
    # A pipe would lose the exit code in a plain shell.
    { "$@" 2>&1 && echo 0 >"$log.code" || echo $? >"$log.code"; } | tee "$log"
    [ "$(cat "$log.code")" = 0 ] || fail "this failed: $*"
}

step "generated files are current"
cargo xtask check

# The signature crate's tests ask pyHanko, which lives there.
export SIGNDOC_JUDGE_PYTHON="$VENV/bin/python"

step "Rust"
logged rust cargo test --locked --workspace --exclude signdoc-python --exclude signdoc-ffi \
    --features signdoc/engine --no-fail-fast -- --show-output

step "Python"
logged python "$VENV/bin/python" -m pytest -q -s tests/python

step "attacks and honest files before three judges"
cargo build -q --locked -p signdoc-signature --features pki,fixtures --example verify
# Real files lie beside the repository on some machines; without them that table is not judged.
"$VENV/bin/python" tests/interop/run.py --program "$CARGO_TARGET_DIR/debug/examples/verify" \
    --corpus "$ROOT/../shared/corpus"

step "no picture changes in a file that verifies"
"$VENV/bin/python" tests/interop/twice.py --program "$CARGO_TARGET_DIR/debug/examples/verify"

step "C, C++ and Go"
logged c "$VENV/bin/python" tests/c/run.py --cpp-log "$logs/cpp.log" --go-log "$logs/go.log"

# Both clients of the Python package run them.
for face in Client AsyncClient; do
    grep "^vector .* $face\$" "$logs/python.log" >"$logs/python-$face.log"
done

step "every language ran the same vectors"
[ -e "$logs/cpp.log" ] || echo "left out: the vectors in C++, see above"
[ -e "$logs/go.log" ] || echo "left out: the vectors in Go, see above"
# Verification asks nobody: it is one function beside both clients of the Python package.
cargo xtask vectors "$logs/rust.log" "$logs/python-Client.log" \
    "$logs/python-AsyncClient.log=conversion,orders,csc,open" "$logs/c.log" \
    $(ls "$logs/cpp.log" "$logs/go.log" 2>/dev/null)

step "all tests passed"
