#!/bin/sh
# Runs all benches; benches/README.md has the method.
. "$(dirname "$0")/lib.sh"
rm -rf build/wheel
PATH="$VENV/bin:$PATH" "$VENV/bin/pip" wheel -q --no-build-isolation --no-deps -w dist .
"$VENV/bin/python" benches/verification.py
exec "$VENV/bin/python" benches/run.py "$@"
