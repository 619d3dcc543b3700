#!/bin/sh
# A libFuzzer campaign, one target after the other: fuzz.sh [SECONDS EACH [TARGET...]]
# Needs a nightly compiler and cargo-fuzz. What a target fails on is kept in build/fuzz/artifacts.
. "$(dirname "$0")/lib.sh"
have cargo-fuzz || fail "cargo-fuzz is missing: cargo install cargo-fuzz --locked"
seconds=${1:-240}
[ $# = 0 ] || shift
cargo +nightly fuzz build --target-dir "$CARGO_TARGET_DIR/fuzz"
programs=$(echo "$CARGO_TARGET_DIR"/fuzz/*/release)
mkdir -p build/fuzz
cd build/fuzz
"$programs/seeds"
[ $# -gt 0 ] || set -- $(ls corpus)
failed=
for target; do
    step "$target, for $seconds seconds"
    mkdir -p "artifacts/$target"
    "$programs/$target" "corpus/$target" -dict="dictionaries/$target.dict" \
        -max_total_time="$seconds" -max_len=60000 -rss_limit_mb=2048 -timeout=20 \
        -artifact_prefix="artifacts/$target/" -print_final_stats=1 >"$target.log" 2>&1 ||
        failed="$failed $target"
    grep -E 'cov: |^stat::number_of' "$target.log" | tail -n 2
done
[ -z "$failed" ] || fail "these failed, see build/fuzz:$failed"
