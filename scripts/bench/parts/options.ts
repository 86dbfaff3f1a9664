import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundledModelDir } from '../../../src/platform/native/model-folder.ts'

export const ROOT = join(import.meta.dir, '../../..')
export const MODEL_DIR = bundledModelDir()

/** A program that is measured. */
export interface Contestant {
  /** The path of the executable as it was given, or `sources`. */
  name: string
  /** Its full path; undefined for the sources. */
  executable: string | undefined
}

/** What every bench takes. */
export interface Options {
  /** Numbers of products, ascending. */
  products: readonly [number, ...number[]]
  /** How often a bench repeats; each has its own default. */
  rounds: number | undefined
  /** Old ones first. They take turns in one run; the last one is judged, the others are there to be compared with it. */
  contestants: readonly [Contestant, ...Contestant[]]
  /** How long a bench measures one row at one size, warming up excluded. */
  rowSeconds: number
  /** Folder for filled stores that stay for later runs; undefined for a temporary one. */
  keep: string | undefined
  /** Flags that only this bench has. */
  own: Readonly<Record<string, string>>
}

/** Names of the flags of every script of this folder; `executable` may come several times. */
const SHARED = ['products', 'rounds', 'row-seconds', 'executable', 'keep']

const QUICK_ROW_SECONDS = '2'
const FULL_ROW_SECONDS = '4'

const QUICK_SIZES = '5000,50000'
const FULL_SIZES = '5000,50000,200000,1000000'

/**
 * @param ownFlags names of flags that only this bench has; they take a value.
 * @throws Error for an unknown flag, a number that is none and an executable that does not exist.
 */
export function readOptions(argv: readonly string[], ownFlags: readonly string[] = []): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      full: { type: 'boolean' },
      ...Object.fromEntries(
        [...SHARED, ...ownFlags].map((name) => [name, { type: 'string', multiple: true } as const]),
      ),
    },
  })
  const listOf = (name: string) => {
    const given = (values as Record<string, unknown>)[name]
    return Array.isArray(given) ? given.map(String) : []
  }
  const last = (name: string) => listOf(name).at(-1)
  const sizes = last('products') ?? (values.full ? FULL_SIZES : QUICK_SIZES)
  const [least, ...more] = sizes
    .split(',')
    .map((word) => readCount('products', word))
    .sort((a, b) => a - b)
  const [first, ...others] = listOf('executable')
    .flatMap((paths) => paths.split(','))
    .map(openExecutable)
    .map(nameApart)
  const rounds = last('rounds')
  const keep = last('keep')
  return {
    products: [least ?? 0, ...more],
    rounds: rounds === undefined ? undefined : readCount('rounds', rounds),
    contestants: first ? [first, ...others] : [{ name: 'sources', executable: undefined }],
    rowSeconds: readCount(
      'row-seconds',
      last('row-seconds') ?? (values.full ? FULL_ROW_SECONDS : QUICK_ROW_SECONDS),
    ),
    keep: keep === undefined ? undefined : resolve(keep),
    own: Object.fromEntries(ownFlags.flatMap((name) => listOf(name).map((value) => [name, value]))),
  }
}

function readCount(flag: string, word: string): number {
  const count = Number(word)
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`--${flag} takes numbers from 1, not "${word}"`)
  return count
}

function openExecutable(path: string): Contestant {
  const executable = resolve(path)
  if (!existsSync(executable)) throw new Error(`There is no executable ${path}`)
  return { name: path, executable }
}

/** An executable that is there twice shows how far two figures of the same thing lie apart. */
function nameApart(contestant: Contestant, n: number, all: readonly Contestant[]): Contestant {
  const earlier = all.slice(0, n).filter(({ name }) => name === contestant.name).length
  return earlier === 0 ? contestant : { ...contestant, name: `${contestant.name} (${earlier + 1})` }
}
