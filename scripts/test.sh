#!/bin/sh
# Installs missing tools and runs every check; with the argument `slow`, only those that `bun run check` leaves out.
# The last line is `N passed, N failed`.
set -u
cd "$(dirname "$0")/.."
. scripts/tools.sh

passed=0
failed=0
times=
alone=
logs=dist/test-logs

# count <file> <pattern>: prints the last number before a word, as in " 31 pass" or "12 passed".
count() { grep -aEo "[0-9]+ $2" "$1" | tail -n 1 | grep -Eo '[0-9]+' || echo 0; }

# name_log <name>: prints the path of the log of a step.
name_log() { printf '%s' "$logs/$(printf '%s' "$1" | tr ' ' '-').log"; }

# list_failed_files <log>: prints the files with a test that failed or an error beside the tests, each once. `bun test` prints the file
# above its tests.
list_failed_files() {
  awk '/^[0-9]+ tests? failed:/ { exit } /^test\/.*\.test\.ts:$/ { file = substr($0, 1, length($0) - 1) }
    (/^\(fail\) / || /^# Unhandled error between tests/) && file { print file }' "$1" | sort -u
}

# Where more files than this have failed, the machine was not the cause.
files_alone_max=12

# run_alone <log> <command…>: runs the files of failed tests again, each on a machine that does nothing else: a machine that runs
# several at a time may be too slow for some. @returns 0 if none fails.
run_alone() {
  log=$1
  shift
  files=$(list_failed_files "$log")
  if [ -z "$files" ] || [ "$(printf '%s\n' "$files" | wc -l)" -gt "$files_alone_max" ]; then return 1; fi
  say "failed files, alone"
  for file in $files; do
    "$@" "./$file" >"$log.alone" 2>&1
    status=$?
    cat "$log.alone"
    if [ "$status" -ne 0 ]; then return 1; fi
    alone="$alone$file
"
  done
}

# step <name> <kind> <command…>: kind `one` counts as one check, `many` as the checks that the command reports. `tests` are counted like
# `many`; the command takes files to run in place of all, and what has failed runs once more by itself.
step() {
  name=$1
  kind=$2
  shift 2
  log=$(name_log "$name")
  say "$name"
  started=$(date +%s)
  { "$@" 2>&1; echo $? >"$log.status"; } | tee "$log"
  status=$(cat "$log.status")
  good=0
  bad=0
  if [ "$kind" != one ]; then
    good=$(count "$log" '(passed|pass)\b')
    bad=$(count "$log" '(failed|fail)\b')
  elif [ "$status" -eq 0 ]; then
    good=1
  fi
  # A command that fails without naming a check has failed as a whole.
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$status" -ne 0 ] && [ "$kind" = tests ] && run_alone "$log" "$@"; then
    echo 0 >"$log.status"
    good=$((good + bad))
    bad=0
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  times="$times$(printf '%5d s  %s' $(($(date +%s) - started)) "$name")
"
}

# list_failures: prints the names of what failed, each once, from the logs of the steps.
list_failures() {
  for log in "$logs"/*.log; do
    status=$(cat "$log.status")
    if [ "$status" -eq 0 ]; then continue; fi
    names=$(grep -aE '^(\(fail\)|FAIL) ' "$log" | sort -u)
    # An error between two tests has no name.
    names=${names:-$(grep -aE '^([A-Z][A-Za-z]*E|e)rror: ' "$log" | sort -u)}
    printf '%s\n' "${names:-The exit status is $status.}" | sed "s|^|$(basename "$log" .log): |"
  done | head -n 20
}

# list_second_tries: prints the tests that passed only when they were tried again, and the files that passed only alone.
list_second_tries() {
  names=$(grep -ahE '^\(pass\) .* \(attempt [0-9]+\)' "$logs"/*.log | sort -u)
  if [ -n "$names" ]; then printf 'Passed only when tried again:\n%s\n' "$names"; fi
  if [ -n "$alone" ]; then printf 'Passed only alone:\n%s' "$alone"; fi
}

# find_chromium: prints where a Chromium is. The one without windows (`chromium-headless-shell`) takes three fifths of the processor time.
find_chromium() {
  for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" && return
  done
  return 1
}

# install_packages <package…>: installs packages of Debian if root runs this; the caller reports what is missing.
install_packages() {
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"
  fi
}

# What the clients in scripts/clients and the plugin in scripts/plugins run with.
shop_packages='python3-httpx php-cli php-guzzlehttp-guzzle wordpress mariadb-server php-mysql'

# slow_tests [<file…>]: runs the tests that start the executable, and so also find faults that only the build has; all of them, or
# some files. Three files at a time on two cores: many wait for a process or for a time-out. A test that fails is tried once more, because browsers and processes race with a loaded machine;
# `list_second_tries` names those that needed it. The slowest start first, so that none runs alone at the end; `--update-timings` measures them.
# With strace some of them watch the system calls of the service and make its disk fail; without it, these are skipped.
slow_tests() {
  command -v strace >/dev/null 2>&1 || install_packages strace || echo "strace is missing: some tests are skipped."
  # shellcheck disable=SC2086
  dpkg -s $shop_packages >/dev/null 2>&1 || install_packages $shop_packages || echo "One of these is missing, and some tests are skipped: $shop_packages"
  command -v chromium-headless-shell >/dev/null || install_packages chromium-headless-shell || find_chromium >/dev/null || install_packages chromium
  if CHROMIUM=$(find_chromium); then export CHROMIUM; fi
  if [ $# -eq 0 ]; then set -- ./test/robustness ./test/slow ./test/executable ${CHROMIUM:+./test/browser}; fi
  ulimit -n 8192 2>/dev/null || true
  LOOKALIKE_EXECUTABLE="$PWD/dist/lookalike" bun test --retry=1 --parallel=3 --timeout=60000 --timings=scripts/test-timings.json "$@"
  tested=$?
  if [ -z "$CHROMIUM" ]; then
    echo "The browser tests need Chromium: install the package chromium-headless-shell or chromium and run this script again."
    return 1
  fi
  return $tested
}

prepare
rm -rf "$logs"
mkdir -p "$logs"
export BARS_FILE="$PWD/dist/bars.jsonl"
rm -f "$BARS_FILE"
if [ "${1:-}" != slow ]; then
  step "format and lint" one bun run lint
  step "types" one bun run types
  step "dead code" one bun run dead
  step "tests" tests bun run test
fi
step "build" one bun build.ts
step "smoke" many bun scripts/smoke.ts
step "slow tests" tests slow_tests

if [ "${1:-}" != slow ]; then
  say "bars"
  bun scripts/bars.ts --from "$BARS_FILE" --log "$logs/tests.log" --log "$logs/slow-tests.log"
fi

say "result"
printf '%s' "$times"
list_second_tries
# Once more, because who reads a log that was cut sees its end.
if [ "$failed" -gt 0 ]; then list_failures; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
