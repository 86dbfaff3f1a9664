import { lchownSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The owner of a folder whose things root makes; undefined where this process is not root, or the folder is root's own. */
function findOwner(folder: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = statSync(folder)
  return uid === 0 ? undefined : { uid, gid }
}

/**
 * Gives what root has made to the owner of the data folder: a service that does not run as root could not use it otherwise.
 * Does nothing for anybody else.
 *
 * @param paths in the data folder, or in a folder of the same owner; what lies elsewhere stays root's.
 */
export function giveToOwner(dataDir: string, ...paths: string[]): void {
  const owner = findOwner(dataDir)
  if (!owner) return
  for (const path of paths)
    if (statSync(dirname(path)).uid === owner.uid) lchownSync(path, owner.uid, owner.gid)
}

/** The same for a folder with everything in it. */
export function giveTreeToOwner(dataDir: string, folder: string): void {
  const owner = findOwner(dataDir)
  if (!owner) return
  // A link that its new owner has put somewhere meanwhile must not give away what it leads to.
  lchownSync(folder, owner.uid, owner.gid)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), owner.uid, owner.gid)
}
