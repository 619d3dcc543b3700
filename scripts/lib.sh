# What the scripts share. Sourced, not run.
set -eu
cd "$(dirname "$0")/.."
ROOT=$(pwd)
VENV=$ROOT/.venv
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$ROOT/target}"
export PIP_DISABLE_PIP_VERSION_CHECK=1

# Where Go's own installer puts it.
[ ! -x /usr/local/go/bin/go ] || PATH=$PATH:/usr/local/go/bin

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
