import { statfs } from 'node:fs/promises'

/** Space on a disk that ordinary users may fill. */
export interface FreeDisk {
  freeBytes: number
  /** Of the whole disk, 0 to 1. */
  share: number
}

/** Reads how much of a folder's file system is free. */
export async function readFreeDisk(folder: string): Promise<FreeDisk> {
  const { bavail, bsize, blocks } = await statfs(folder)
  return { freeBytes: bavail * bsize, share: blocks === 0 ? 1 : bavail / blocks }
}

/** Reads the free share of a folder's file system that is available to ordinary users, 0 to 1. */
export async function readFreeDiskShare(folder: string): Promise<number> {
  return (await readFreeDisk(folder)).share
}
