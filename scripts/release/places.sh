#!/bin/sh
# Runs the smoke test of an executable for Linux where the guide says that it runs (src/guide/installing.md): in each of these places, and in
# all at once. The root is read-only in each. Needs root, for name spaces, mounts and a limit of memory.
#
#   sh scripts/release/places.sh [dist/lookalike]
set -eu

executable=$(realpath "${1:-dist/lookalike}")
cd "$(dirname "$0")/../.."
# The test works outside /tmp, which one place closes to programs.
TMPDIR=/var/tmp
export TMPDIR
failed=0
log=$(mktemp)
# The group with the limit of memory, if it was made.
group=
trap 'rm -f "$log"; [ -z "$group" ] || rmdir "$group" 2>/dev/null || true' EXIT

# try NAME COMMAND...: runs the smoke test by a command that makes the place.
try() {
  name=$1
  shift
  if "$@" >"$log" 2>&1 && grep -q 'read-only root' "$log"; then
    echo "ok    $name"
  else
    echo "FAIL  $name"
    tail -20 "$log"
    failed=1
  fi
}

in_memory() {
  if [ -d /sys/fs/cgroup/memory ]; then
    group=/sys/fs/cgroup/memory/lookalike-place limit=memory.limit_in_bytes
  else
    group=/sys/fs/cgroup/lookalike-place limit=memory.max
  fi
  # A condition of a shell goes on after an error. The test itself and the picture library in it count, too.
  mkdir -p "$group" && echo $((1024 * 1024 * 1024)) >"$group/$limit" &&
    sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@"
}

closed_tmp='mount --make-rprivate / && mount -t tmpfs -o noexec,nosuid tmpfs /tmp && exec "$@"'
no_ipv6='ip link set lo up && echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 && exec "$@"'

# shellcheck disable=SC2086 # the words of a command
run='bun scripts/smoke.ts'
try 'read-only root' $run "$executable"
try '/tmp without programs (noexec)' unshare -m sh -c "$closed_tmp" sh $run "$executable"
try 'no IPv6' unshare -n sh -c "$no_ipv6" sh $run "$executable"
try 'memory of 1 GiB' in_memory $run "$executable"
try 'locale C' $run "$executable" --env LC_ALL=C --env LANG=C
try 'locale tr_TR' $run "$executable" --env LC_ALL=tr_TR.UTF-8
try 'time zone Pacific/Kiritimati' $run "$executable" --env TZ=Pacific/Kiritimati
try 'all of it' in_memory unshare -mn sh -c "$no_ipv6" sh sh -c "$closed_tmp" sh $run "$executable" --env LC_ALL=C --env TZ=Pacific/Kiritimati
exit $failed
