#!/bin/sh
# Installs libsigndoc that has been built: header, shared and static library, pkg-config and CMake.
#
#   ffi/install.sh PREFIX [FOLDER OF THE BUILT LIBRARIES]
#
# DESTDIR is put before every path that is written, as packagers need it; LIBDIR (default
# PREFIX/lib) and INCLUDEDIR (default PREFIX/include) may be set.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    sed -n '4,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
case $1 in
    /*) prefix=$1 ;;
    *) prefix=$(pwd)/$1 ;;
esac
built=${2:-${CARGO_TARGET_DIR:-$root/target}/release}
libdir=${LIBDIR:-$prefix/lib}
includedir=${INCLUDEDIR:-$prefix/include}
dest=${DESTDIR:-}

for file in "$built/libsigndoc.so" "$built/libsigndoc.a"; do
    if [ ! -e "$file" ]; then
        echo "error: $file is missing: build it with cargo build --release -p signdoc-ffi" >&2
        exit 1
    fi
done

# Both are written once, and taken from there.
version=$(sed -n 's/^#define SIGNDOC_VERSION "\(.*\)"$/\1/p' "$root/include/signdoc.h")
abi=$(sed -n 's/^#define SIGNDOC_ABI_VERSION \([0-9]*\)$/\1/p' "$root/include/signdoc.h")
static_libs=$(cat "$here/package/native-static-libs")

filled() {
    sed -e "s|@PREFIX@|$prefix|g" -e "s|@LIBDIR@|$libdir|g" -e "s|@INCLUDEDIR@|$includedir|g" \
        -e "s|@VERSION@|$version|g" -e "s|@ABI@|$abi|g" -e "s|@STATIC_LIBS@|$static_libs|g" \
        "$here/package/$1.in" >"$2/$1"
    chmod 644 "$2/$1"
}

umask 022
mkdir -p "$dest$libdir/pkgconfig" "$dest$libdir/cmake/signdoc" "$dest$includedir"
for header in "$root"/include/*.h "$root"/include/*.hpp; do
    if [ -e "$header" ]; then install -m 644 "$header" "$dest$includedir/"; fi
done
install -m 644 "$built/libsigndoc.a" "$dest$libdir/"
install -m 755 "$built/libsigndoc.so" "$dest$libdir/libsigndoc.so.$version"
ln -sf "libsigndoc.so.$version" "$dest$libdir/libsigndoc.so.$abi"
ln -sf "libsigndoc.so.$abi" "$dest$libdir/libsigndoc.so"
filled signdoc.pc "$dest$libdir/pkgconfig"
filled signdocConfig.cmake "$dest$libdir/cmake/signdoc"
filled signdocConfigVersion.cmake "$dest$libdir/cmake/signdoc"
echo "libsigndoc $version installed in $dest$prefix"
