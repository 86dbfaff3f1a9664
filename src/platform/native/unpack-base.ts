import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ensurePrivateFolder } from './unpack.ts'

/** Variable that names the folder for unpacked parts, for this process and its children. */
export const unpackDirVariable = 'LOOKALIKE_UNPACK_DIR'

/** Commands that use no data folder and must not create one in the current folder. */
const WITHOUT_DATA: ReadonlySet<string> = new Set(['demo', 'openapi', 'service'])

/**
 * The folders to try, best first: only `LOOKALIKE_UNPACK_DIR` if it is set; otherwise `unpacked` in the data folder,
 * then a private folder in the system's temporary folder. Commands without a data folder use the latter only.
 *
 * Native libraries load while modules are still being imported, before the settings are read. This function therefore
 * reads the data folder's setting itself: `--data-dir`, `DATA_DIR`, `DATA_DIR_FILE`, then `./data`.
 */
export function unpackBases(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): (() => string)[] {
  const chosen = env[unpackDirVariable]
  if (chosen) return [() => resolve(chosen)]
  const userId = process.getuid?.()
  const shared = () => ensurePrivateFolder(join(tmpdir(), `lookalike-${userId ?? 'user'}`), userId)
  if (WITHOUT_DATA.has(argv[0] ?? '')) return [shared]
  const dataDir = readEarlySetting(argv, env, 'DATA_DIR') ?? 'data'
  // A command that only inspects a folder must not create it.
  if (argv[0] === 'doctor' && !existsSync(resolve(dataDir, 'unpacked'))) return [shared]
  return [() => resolve(dataDir, 'unpacked'), shared]
}

/** Reads a setting from the command line, the environment, or the file that `<NAME>_FILE` names; undefined if unset. */
export const readEarlySetting = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  name: 'DATA_DIR' | 'LIBRARY_DIR',
): string | undefined =>
  readFlag(argv, `--${name.toLowerCase().replace('_', '-')}`) ?? readVariable(env, name)

function readFlag(argv: readonly string[], flag: string): string | undefined {
  const at = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`))
  const word = argv[at]
  if (word === undefined) return undefined
  return word === flag ? argv[at + 1] : word.slice(flag.length + 1)
}

function readVariable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  if (env[name]) return env[name]
  const file = env[`${name}_FILE`]
  if (!file) return undefined
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    // The settings loader reads the same file and reports the mistake to the operator.
    return undefined
  }
}
