import { statfs } from 'node:fs/promises'

/** Reads the free share of a folder's file system that is available to ordinary users, 0 to 1. */
export async function readFreeDiskShare(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder)
  return blocks === 0 ? 1 : bavail / blocks
}
