#!/bin/sh
# Runs all benches; benches/README.md has the method.
. "$(dirname "$0")/lib.sh"
rm -rf build/wheel
PATH="$VENV/bin:$PATH" "$VENV/bin/pip" wheel -q --no-build-isolation --no-deps -w dist .
exec "$VENV/bin/python" benches/run.py "$@"
