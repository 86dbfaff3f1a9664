#!/bin/sh
# Installs what is missing, builds the executable and starts it with the demo catalogue.
# `sh scripts/start.sh` stays up; `sh scripts/start.sh --once` stops after the first answers.
set -eu
cd "$(dirname "$0")/.."
. scripts/tools.sh

prepare
say "building dist/lookalike"
bun build.ts
exec dist/lookalike demo "$@"
