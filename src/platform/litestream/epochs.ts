/** Where the copies of an epoch lie below the prefix of an install. */
export const nameEpoch = (prefix: string, epoch: number): string =>
  `${prefix === '' ? '' : `${prefix}/`}epoch-${epoch}/db`

const EPOCH = /(?:^|\/)epoch-([1-9]\d{0,15})\/$/

/** Lists what lies directly below a prefix: the keys of objects, and folders with a slash at their ends. */
export type ListBelow = (prefix: string) => Promise<string[]>

/**
 * Finds the newest epoch of which a whole copy lies in the bucket. An owner answers no write before its first whole copy does, so an
 * epoch without one holds nothing that anybody was told about.
 *
 * @param before the epochs before this one.
 * @returns undefined if there is none.
 */
export async function findUsableEpoch(
  list: ListBelow,
  prefix: string,
  before: number,
): Promise<number | undefined> {
  const epochs = (await listEpochs(list, prefix)).filter((epoch) => epoch < before).sort((a, b) => b - a)
  for (const epoch of epochs) {
    for (const generation of await list(`${nameEpoch(prefix, epoch)}/generations/`))
      if ((await list(`${generation}snapshots/`)).length > 0) return epoch
  }
  return undefined
}

/** Says where the copy of an epoch ends, as a word: another one means that there is more of it. */
export async function findCopyEnd(list: ListBelow, prefix: string, epoch: number): Promise<string> {
  const ends: string[] = []
  for (const generation of await list(`${nameEpoch(prefix, epoch)}/generations/`)) {
    const folder = `${generation}wal/`
    // Segments lie in the folder of their log; names grow.
    const log = (await list(folder)).sort().at(-1) ?? folder
    ends.push(log.endsWith('/') ? ((await list(log)).sort().at(-1) ?? log) : log)
  }
  return ends.sort().join(' ')
}

/** The highest epoch of which anything lies in the bucket; 0 without one. The next one is above it, whatever became of the lease. */
export const findLastEpoch = async (list: ListBelow, prefix: string): Promise<number> =>
  Math.max(0, ...(await listEpochs(list, prefix)))

async function listEpochs(list: ListBelow, prefix: string): Promise<number[]> {
  const folders = await list(prefix === '' ? 'epoch-' : `${prefix}/epoch-`)
  return folders.flatMap((folder) => EPOCH.exec(folder)?.[1] ?? []).map(Number)
}
