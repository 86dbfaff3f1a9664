import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const nobody = 65_534

/** A folder on disk that contains only the executable. */
export interface Sandbox {
  folder: string
  dataDir: string
  /** The isolation that this machine allows, for the report. */
  kind: string
  /** Builds a command line that runs the executable here with only the given environment, without HOME, as a plain user. */
  command: (env: Record<string, string>, args: readonly string[]) => string[]
  remove: () => void
}

/**
 * Copies an executable into a new folder and finds the strictest isolation that this machine offers. With mount
 * namespaces, the root is read-only except for the data folder, and the checkout with its `node_modules` is hidden.
 */
export function createSandbox(executable: string, checkout: string): Sandbox {
  const outer = mkdtempSync(join(tmpdir(), 'lookalike-smoke-'))
  const folder = join(outer, 'empty')
  const dataDir = join(outer, 'data')
  for (const path of [folder, dataDir]) mkdirSync(path)
  chmodSync(outer, 0o755)
  chmodSync(folder, 0o555)
  chmodSync(dataDir, 0o700)
  const program = join(folder, 'lookalike')
  chmodSync(folder, 0o755)
  cpSync(executable, program)
  chmodSync(program, 0o555)
  chmodSync(folder, 0o555)
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(dataDir, nobody, nobody)

  const asUser = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : []
  // Each step replaces its process by the next, so the started process becomes the executable itself.
  const mounts = `set -e
mount --bind "$1" "$1"; mount -t tmpfs -o ro none "$2"; mount -o remount,bind,ro /
cd "$3"; shift 3; exec "$@"`
  const namespace = ['unshare', isRoot ? '-m' : '-rm', 'sh', '-c', mounts, 'sh', dataDir, checkout, folder]
  const plain = ['sh', '-c', 'cd "$1"; shift; exec "$@"', 'sh', folder]
  const canMount = Bun.spawnSync([...namespace, ...asUser, 'true'], { stderr: 'ignore' }).success
  const wrap = canMount ? namespace : plain
  return {
    folder,
    dataDir,
    kind: canMount ? 'read-only root, checkout hidden' : 'no namespaces here: the checkout stays visible',
    command: (env, args) => [
      ...wrap,
      ...asUser,
      ...['env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      program,
      ...args,
    ],
    remove: () => {
      chmodSync(folder, 0o755)
      rmSync(outer, { recursive: true, force: true })
    },
  }
}
