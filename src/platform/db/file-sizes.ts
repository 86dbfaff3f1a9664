import { statSync } from 'node:fs'
import type { Db } from './open.ts'

/** Bytes of a database and of the log of its latest writes. */
export interface FileSizes {
  databaseBytes: number
  walBytes: number
}

/** Reads how large the files of a database are; undefined for one in memory. */
export function readFileSizes({ name, memory }: Pick<Db, 'name' | 'memory'>): FileSizes | undefined {
  if (memory) return undefined
  const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return { databaseBytes: size(name), walBytes: size(`${name}-wal`) }
}
