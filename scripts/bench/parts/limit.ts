import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DIMENSION } from './vectors.ts'

const K = 10
/** Microseconds of one query. */
export interface Times {
  wall: number
  /** Of all threads. */
  cpu: number
}

/** Vectors that one measurement reads. */
const READ = 2_000_000

/** What limit.c measures, as a reader of the table knows it. */
export const LIMIT = 'a C loop on one thread (int8, VNNI)'

/**
 * Compiles the C limit of a search in memory.
 *
 * @returns a function that measures one scan of so many vectors; undefined without a compiler.
 */
export function compileLimit(folder: string): ((count: number) => Times) | undefined {
  const program = join(folder, 'limit')
  const source = join(import.meta.dir, 'limit.c')
  const compiler = spawnSync('gcc', ['-O3', '-march=native', '-o', program, source], { stdio: 'inherit' })
  if (compiler.status !== 0) {
    console.error('gcc is missing: the C limit is skipped')
    return undefined
  }
  return (count) => {
    const rounds = Math.max(5, Math.ceil(READ / count))
    const { stdout } = spawnSync(program, [count, DIMENSION, K, rounds].map(String), { encoding: 'utf8' })
    const [wall = Number.NaN, cpu = Number.NaN] = stdout.split(' ').map(Number)
    return { wall, cpu }
  }
}
