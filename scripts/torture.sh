#!/bin/sh
# The robustness tests at their full length, against the built executable: some hours. Run it before a release.
# Every number may be set from outside: `CRASH_ROUNDS=100 sh scripts/torture.sh`.
set -u
cd "$(dirname "$0")/.."
. scripts/tools.sh

prepare
say "building dist/lookalike"
bun build.ts || exit 1

export LOOKALIKE_EXECUTABLE="$PWD/dist/lookalike"
export CRASH_ROUNDS="${CRASH_ROUNDS:-1000}"
export CRASH_START_ROUNDS="${CRASH_START_ROUNDS:-200}"
export WAL_ROUNDS="${WAL_ROUNDS:-2000}"
export PICTURE_MUTANTS="${PICTURE_MUTANTS:-100000}"
export FUZZ_REQUESTS="${FUZZ_REQUESTS:-100000}"
export HTTP_SLOW_SENDERS="${HTTP_SLOW_SENDERS:-1000}"
export HTTP_ABORTED_UPLOADS="${HTTP_ABORTED_UPLOADS:-2000}"
export STOP_ROUNDS="${STOP_ROUNDS:-100}"
export HEALING_ROUNDS="${HEALING_ROUNDS:-50}"
export TRIM_MUTANTS="${TRIM_MUTANTS:-20000}"
export DISK_ROUNDS="${DISK_ROUNDS:-50}"

# Another seed each day finds other faults; the failure names what reproduces it.
seed="${TORTURE_SEED:-$(date +%Y%m%d)}"
export CRASH_SEED="${CRASH_SEED:-$seed}"
export PICTURE_SEED="${PICTURE_SEED:-$seed}"
export FUZZ_SEED="${FUZZ_SEED:-$seed}"

# 1,000 connections need as many open files.
ulimit -n 8192 2>/dev/null || true

say "robustness tests with seed $seed"
exec bun test --timeout 7200000 ./test/robustness
