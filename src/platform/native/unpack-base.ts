import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ensurePrivateFolder } from './unpack.ts'

/** Names the folder that holds unpacked parts, for this process and for the ones it starts. */
export const unpackDirVariable = 'LOOKALIKE_UNPACK_DIR'

/** Commands that have no data folder and should leave none behind where they are called. */
const WITHOUT_DATA: ReadonlySet<string> = new Set(['demo', 'openapi'])

/**
 * The folders to try, best first: `LOOKALIKE_UNPACK_DIR` alone if it is set, else `unpacked` below the data folder and
 * then a private folder below the system's temporary one. Commands without a data folder use that one at once.
 *
 * Native libraries load while modules are still being imported, before any setting is read, so this reads the data
 * folder's setting by itself: `--data-dir`, `DATA_DIR`, `DATA_DIR_FILE`, then `./data`.
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
  const dataDir = earlySetting(argv, env, 'DATA_DIR') ?? 'data'
  return [() => resolve(dataDir, 'unpacked'), shared]
}

/** A setting from the command line, the environment, or the file that `<NAME>_FILE` names; undefined when it is not given. */
export const earlySetting = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  name: 'DATA_DIR' | 'LIBRARY_DIR',
): string | undefined =>
  flagValue(argv, `--${name.toLowerCase().replace('_', '-')}`) ?? settingValue(env, name)

function flagValue(argv: readonly string[], flag: string): string | undefined {
  const at = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`))
  const word = argv[at]
  if (word === undefined) return undefined
  return word === flag ? argv[at + 1] : word.slice(flag.length + 1)
}

function settingValue(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
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
