#!/bin/sh
# Runs the tests of all bars at full length against the built executable, which takes many hours, and prints the table.
# Run it before a release. The environment overrides every count: `CRASH_ROUNDS=100 sh scripts/torture.sh`.
set -u
cd "$(dirname "$0")/.."
. scripts/tools.sh

prepare

# 1,000 connections need as many open files.
ulimit -n 8192 2>/dev/null || true

# A new seed each day finds other faults; a failure names the seed that reproduces it.
say "robustness tests with seed ${TORTURE_SEED:=$(date +%Y%m%d)}"
export TORTURE_SEED
exec bun scripts/bars.ts --full
