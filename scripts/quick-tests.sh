#!/bin/sh
# Runs the quick tests; `bun run test` calls it. Arguments go to `bun test`.
# Their temporary files lie in memory where there is space for them, so that no test waits for a disk: whether data
# survives a crash or a full disk is the matter of test/robustness.
set -u
cd "$(dirname "$0")/.."

memory=/dev/shm
# Far more than the tests hold at a time. A container often has 64 MiB only.
free_kib_min=1048576

# may_execute <folder>: whether programs may lie there; some systems forbid it, and some tests start what they write.
may_execute() { cp /bin/true "$1/true" && "$1/true" && rm "$1/true"; }

free_kib=$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${free_kib:-0}" -ge "$free_kib_min" ] && folder=$(mktemp -d "$memory/lookalike-tests-XXXXXX" 2>/dev/null); then
  # What a test leaves behind would take memory until the machine stops.
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 130' INT TERM
  if may_execute "$folder" 2>/dev/null; then
    # As /tmp: some tests write as another user.
    chmod 1777 "$folder"
    export TMPDIR="$folder"
  fi
fi

# See the traps in src/README.md.
export BUN_JSC_useWasmFastMemory=0
bun test --parallel --no-isolate --timeout=30000 \
  --path-ignore-patterns 'test/{slow,robustness,executable,browser}/**' "$@"
