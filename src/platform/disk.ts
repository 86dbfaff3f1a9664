import { statfs } from 'node:fs/promises'

/** Share of a folder's file system that ordinary users may still fill, 0 to 1. */
export async function freeDiskShare(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder)
  return blocks === 0 ? 1 : bavail / blocks
}
