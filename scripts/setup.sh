#!/bin/sh
# Sets up what demo, test or bench need: toolchains are checked, system packages installed where
# that is possible, the Python package built into .venv.
. "$(dirname "$0")/lib.sh"
level=${1:-test}

have cargo || fail "cargo is missing: install Rust 1.95 or later (https://rustup.rs)"
have python3 || fail "python3 is missing: install Python 3.11 or later"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "python3 is $(python3 -V 2>&1), but 3.11 or later is needed"
have cc || fail "a C compiler (cc) is missing: install gcc or clang"

# Debian's package, and the program or file that shows it is there.
packages() {
    echo "ghostscript gs"
    echo "poppler-utils pdftoppm"
    if [ "$level" = bench ]; then
        echo "curl curl"
        echo "libcurl4-openssl-dev curl-config"
    fi
    [ "$level" = test ] || return 0
    echo "qpdf qpdf"
    echo "valgrind valgrind"
    echo "openssl openssl"
    echo "libcjson-dev /usr/include/cjson/cJSON.h"
    echo "tinyproxy tinyproxy"
    echo "pkg-config pkg-config"
    echo "g++ g++"
    echo "cmake cmake"
    echo "golang-go go"
}
missing=$(packages | while read -r package sign; do
    case $sign in
        /*) [ -e "$sign" ] || echo "$package" ;;
        *) have "$sign" || echo "$package" ;;
    esac
done | tr '\n' ' ')
if [ -n "$missing" ]; then
    if have apt-get && [ "$(id -u)" = 0 ]; then
        step "installing $missing"
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
    else
        echo "note: these system packages are missing and what needs them is left out: $missing"
        echo "      install them as root: apt-get install $missing"
    fi
fi

if [ ! -x "$VENV/bin/python" ]; then
    step "making .venv"
    python3 -m venv "$VENV" || fail "python3 -m venv does not work: install the package python3-venv"
fi
requirements=python/requirements-$level.txt
[ -e "$requirements" ] || requirements=python/requirements-build.txt
step "installing Python packages"
"$VENV/bin/pip" install -q -r "$requirements"

step "building the Python package (some minutes the first time)"
PATH="$VENV/bin:$PATH" "$VENV/bin/pip" install -q --no-build-isolation --no-deps --force-reinstall .
