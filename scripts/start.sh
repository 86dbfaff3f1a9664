#!/bin/sh
# Installs missing tools, builds the executable and starts it with the demo catalogue.
# `sh scripts/start.sh` keeps running; `sh scripts/start.sh --once` stops after the first searches.
set -eu
cd "$(dirname "$0")/.."
. scripts/tools.sh

prepare
say "building dist/lookalike"
bun build.ts
exec dist/lookalike demo "$@"
