#!/bin/sh
# The tests of all bars at their full length, against the built executable: many hours. Run it before a release.
# Every number may be set from outside: `CRASH_ROUNDS=100 sh scripts/torture.sh`. The last thing printed is the table.
set -u
cd "$(dirname "$0")/.."
. scripts/tools.sh

prepare

# 1,000 connections need as many open files.
ulimit -n 8192 2>/dev/null || true

# Another seed each day finds other faults; the failure names what reproduces it.
say "robustness tests with seed ${TORTURE_SEED:=$(date +%Y%m%d)}"
export TORTURE_SEED
exec bun scripts/bars.ts --full
