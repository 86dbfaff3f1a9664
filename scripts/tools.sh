# Finds or installs Bun and the packages. start.sh, test.sh and torture.sh source this file from the root of the checkout.

bun_version=1.4.5

# onnxruntime sends telemetry by default. The program switches that off itself; this covers every other process.
export ORT_DISABLE_TELEMETRY=1

say() { printf '\n== %s\n' "$*"; }

has_bun() { [ -x "$1" ] && [ "$("$1" --version 2>/dev/null)" = "$bun_version" ]; }

# Prints the path of a Bun of the right version, or nothing. It also finds the binary of a package whose install script
# was not allowed to run.
find_bun() {
  for candidate in "$(command -v bun 2>/dev/null)" dist/tools/node_modules/@oven/bun-*/bin/bun \
    dist/tools/node_modules/bun/bin/bun.exe; do
    if has_bun "$candidate"; then
      case $candidate in /*) echo "$candidate" ;; *) echo "$PWD/$candidate" ;; esac
      return
    fi
  done
}

install_bun() {
  if command -v npm >/dev/null 2>&1; then
    say "installing bun $bun_version into dist/tools"
    mkdir -p dist/tools
    npm install --prefix dist/tools --no-audit --no-fund --loglevel=error "bun@$bun_version"
  elif command -v bun >/dev/null 2>&1; then
    say "installing bun $bun_version into dist/tools"
    mkdir -p dist/tools
    [ -f dist/tools/package.json ] || echo '{ "private": true }' >dist/tools/package.json
    (cd dist/tools && bun add "bun@$bun_version")
  else
    echo "This script needs bun $bun_version, or npm to install it: install Node.js or Bun and run the script again." >&2
    return 1
  fi
}

# Puts Bun first on the PATH as `bun`, installs the packages of the lock file and creates the generated files.
prepare() {
  bun=$(find_bun)
  if [ -z "$bun" ]; then
    install_bun || exit 1
    bun=$(find_bun)
  fi
  if [ -z "$bun" ]; then
    echo "bun $bun_version was installed but does not run on this machine." >&2
    exit 1
  fi
  mkdir -p dist/tools/bin
  # The Bun on the PATH may be this very link.
  [ "$bun" -ef dist/tools/bin/bun ] || ln -sf "$bun" dist/tools/bin/bun
  PATH=$PWD/dist/tools/bin:$PATH
  export PATH
  say "installing packages (that it blocks postinstall scripts is expected: none is needed)"
  bun install --frozen-lockfile || exit 1
  say "generating files"
  bun scripts/generate/index.ts || exit 1
}
