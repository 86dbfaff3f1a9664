import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const ROOT = join(import.meta.dir, '../../..')
export const MODEL_DIR = join(ROOT, 'models/lookalike-clip-v0')

/** A program that is measured. */
export interface Contestant {
  /** The path of the executable, or `sources`. */
  name: string
  /** Command line to which the command of Lookalike is added. */
  command: readonly string[]
  /** Undefined for the sources. */
  executable?: string
}

/** What every bench takes. */
export interface Options {
  /** Numbers of products, ascending. */
  products: readonly number[]
  /** How often a bench repeats; each has its own default. */
  rounds: number | undefined
  /** Old ones first. They take turns in one run; the last one is judged, the others are there to be compared with it. */
  contestants: readonly [Contestant, ...Contestant[]]
  isFull: boolean
  /** Folder for filled stores that stay for later runs; undefined for a temporary one. */
  keep: string | undefined
}

/** The flags of every script of this folder. */
export const FLAGS = {
  products: { type: 'string' },
  rounds: { type: 'string' },
  executable: { type: 'string', multiple: true },
  full: { type: 'boolean' },
  keep: { type: 'string' },
} as const

const QUICK_SIZES = [5_000, 50_000]
const FULL_SIZES = [5_000, 50_000, 200_000, 1_000_000]

/** @throws Error for an unknown flag, a number that is none and an executable that does not exist. */
export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({ args: [...argv], options: FLAGS })
  const isFull = values.full ?? false
  const products = values.products?.split(',').map((word) => readCount('products', word))
  const [first, ...others] = (values.executable ?? [])
    .flatMap((paths) => paths.split(','))
    .map(openExecutable)
  return {
    products: (products ?? (isFull ? FULL_SIZES : QUICK_SIZES)).toSorted((a, b) => a - b),
    rounds: values.rounds === undefined ? undefined : readCount('rounds', values.rounds),
    contestants: first
      ? [first, ...others]
      : [{ name: 'sources', command: [process.execPath, join(ROOT, 'src/main.ts')] }],
    isFull,
    keep: values.keep === undefined ? undefined : resolve(values.keep),
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
  return { name: path, command: [executable], executable }
}
