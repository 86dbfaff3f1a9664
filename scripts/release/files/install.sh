#!/bin/sh
# Installs lookalike @VERSION@: finds the executable for this machine, downloads it, checks it, puts it on the PATH.
#
#   curl -fsSL URL/install.sh | sh -s -- --from URL
#
# It needs no root: without it, the program goes to ~/.local/bin. It changes nothing else, and starts nothing.
set -eu

version='@VERSION@'
key='@KEY@'
from='@URL@'
targets='@TARGETS@'
glibc_needed='@GLIBC@'
dir=''
dry_run=false

usage() {
  cat <<USAGE
Installs lookalike $version.

  --from URL   where the files of the release are: an address, or a folder${from:+ (default: $from)}
  --dir DIR    where to put the program (default: /usr/local/bin for root, otherwise ~/.local/bin)
  --dry-run    say what would be done, and do nothing
USAGE
}

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "Not installed: $*"
  exit 1
}

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --dir)
        [ $# -ge 2 ] || fail "$1 needs a value"
        [ "$1" = --from ] && from=${2%/} || dir=$2
        shift
        ;;
      --dry-run) dry_run=true ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) fail "there is no option $1 (--help lists them)" ;;
    esac
    shift
  done
  [ -n "$from" ] || fail 'name where the files of the release are: --from URL'
  case $from in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]* | /*) ;;
    http://*) fail "$from is not encrypted: name an address with https" ;;
    *) fail "$from is no address with https and no absolute path" ;;
  esac
  if [ -z "$dir" ]; then
    if [ "$(id -u)" = 0 ]; then dir=/usr/local/bin; else dir=${HOME:?HOME is not set: name a folder with --dir}/.local/bin; fi
  fi
}

find_target() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "there is no lookalike for $(uname -s), only for Linux and macOS" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no lookalike for the processor $(uname -m), only for x86-64 and 64-bit ARM" ;;
  esac
  target=$os-$cpu
  case " $targets " in
    *" $target "*) ;;
    *) fail "lookalike $version comes for $targets, and this machine is $target" ;;
  esac
  [ $os = darwin ] || demand_glibc
  if [ $target = linux-x64 ] && [ -r /proc/cpuinfo ] && ! grep -q '[ :]avx2\( \|$\)' /proc/cpuinfo; then
    fail 'this processor has no AVX2, which the program needs (Intel since 2013, AMD since 2015)'
  fi
}

# The word before the number names the library: glibc 2.36.
demand_glibc() {
  found=$(getconf GNU_LIBC_VERSION 2>/dev/null || true)
  case $found in
    'glibc '*) ;;
    *) fail "lookalike needs glibc $glibc_needed or newer, and this system has another C library (Alpine has musl)" ;;
  esac
  is_old=$(printf '%s\n%s\n' "$glibc_needed" "${found#glibc }" |
    awk -F. 'NR == 1 { a = $1; b = $2 } NR == 2 { print ($1 < a || ($1 == a && $2 < b)) ? "yes" : "no" }')
  [ "$is_old" = no ] || fail "lookalike needs glibc $glibc_needed or newer, and this system has ${found#glibc }"
}

download() {
  case $from in
    /*) cp "$from/$1" "$2" || fail "there is no $from/$1" ;;
    *)
      if command -v curl >/dev/null 2>&1; then
        # A redirect never leads away from encryption.
        curl --fail --silent --show-error --location --proto-redir =https --retry 3 --output "$2" "$from/$1" || fail "$from/$1 could not be downloaded"
      elif command -v wget >/dev/null 2>&1; then
        wget --quiet --tries=3 --output-document="$2" "$from/$1" || fail "$from/$1 could not be downloaded"
      else
        fail 'curl or wget is needed to download'
      fi
      ;;
  esac
}

hash_of() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

check_signature() {
  if command -v minisign >/dev/null 2>&1; then
    minisign -Vqm "$1" -x "$1.minisig" -P "$key" >/dev/null || fail "$from/SHA256SUMS is not signed with the key of the releases, $key"
    say 'The signature is right.'
  else
    say "The signature was not checked, because there is no minisign. Its key: $key"
  fi
}

main() {
  read_options "$@"
  find_target
  name=lookalike-$version-$target
  program=$dir/lookalike
  say "lookalike $version for $target"
  say "  from   $from/$name"
  say "  to     $program"
  if [ -e "$program" ]; then
    fail "$program is there already. To replace it, download $name, SHA256SUMS and SHA256SUMS.minisig to one folder and run: lookalike upgrade ./$name"
  fi
  $dry_run && exit 0
  mkdir -p "$dir" || fail "$dir cannot be made"
  # Beside its place, so that it comes there whole.
  work=$(mktemp -d "$dir/.lookalike-XXXXXX") || fail "$dir cannot be written to"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' INT TERM HUP
  download SHA256SUMS "$work/SHA256SUMS"
  download SHA256SUMS.minisig "$work/SHA256SUMS.minisig"
  check_signature "$work/SHA256SUMS"
  wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ -n "$wanted" ] || fail "$from/SHA256SUMS has no $name: it belongs to another release"
  download "$name" "$work/lookalike"
  found=$(hash_of "$work/lookalike")
  [ "$found" = "$wanted" ] || fail "$name is cut or was altered: its SHA-256 is $found, and the release says $wanted"
  chmod 755 "$work/lookalike"
  "$work/lookalike" version >/dev/null || fail 'the program does not start on this machine'
  mv "$work/lookalike" "$program"
  say "Installed: $("$program" version | head -n 1)"
  case ":$PATH:" in
    *":$dir:"*) say 'Next: lookalike demo, or sudo lookalike service install' ;;
    *) say "$dir is not on the PATH. Next: $program demo" ;;
  esac
}

# The last line, so that a cut script does nothing.
main "$@"
