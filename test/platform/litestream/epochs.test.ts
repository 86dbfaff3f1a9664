import { expect, test } from 'bun:test'
import { findCopyEnd, findUsableEpoch, nameEpoch } from '../../../src/platform/litestream/epochs.ts'

/** Lists what a bucket with these keys has directly below a prefix. */
const bucketOf = (keys: readonly string[]) => async (prefix: string) => [
  ...new Set(
    keys
      .filter((key) => key.startsWith(prefix))
      .map((key) => {
        const slash = key.indexOf('/', prefix.length)
        return slash === -1 ? key : key.slice(0, slash + 1)
      }),
  ),
]
const snapshot = (prefix: string, epoch: number) =>
  `${nameEpoch(prefix, epoch)}/generations/aa/snapshots/00000000.snapshot.lz4`
const piece = (prefix: string, epoch: number) =>
  `${nameEpoch(prefix, epoch)}/generations/aa/wal/00000000_00000000.wal.lz4`

test.each(['', 'a/b'])('the newest epoch with a whole copy counts, under the prefix "%s"', async (prefix) => {
  const keys = [snapshot(prefix, 2), snapshot(prefix, 10), piece(prefix, 11)]
  const list = bucketOf([...keys, `${prefix === '' ? '' : `${prefix}/`}lease.json`])
  expect(await findUsableEpoch(list, prefix, 12)).toBe(10)
  expect(await findUsableEpoch(list, prefix, 10)).toBe(2)
  expect(await findUsableEpoch(list, prefix, 2)).toBeUndefined()
})

test.each([
  ['wal/00000000_00000000.wal.lz4', 'wal/00000000_00001000.wal.lz4', 'wal/00000001_00000000.wal.lz4'],
  ['wal/00000000/00000000.wal.lz4', 'wal/00000000/00001000.wal.lz4', 'wal/00000001/00000000.wal.lz4'],
])('the end of a copy is another word with each piece, and with each generation', async (...pieces) => {
  const folder = `${nameEpoch('p', 2)}/generations`
  const keys: string[] = [`${folder}/aa/snapshots/00000000.snapshot.lz4`]
  const seen = new Set<string>()
  for (const piece of [undefined, ...pieces.map((name) => `aa/${name}`), `bb/${pieces[0]}`]) {
    if (piece !== undefined) keys.push(`${folder}/${piece}`)
    seen.add(await findCopyEnd(bucketOf(keys), 'p', 2))
  }
  expect(seen.size).toBe(pieces.length + 2)
  expect(await findCopyEnd(bucketOf([...keys, snapshot('p', 3)]), 'p', 2)).toBe([...seen].at(-1) as string)
})

test('what is no epoch is passed over', async () => {
  const list = bucketOf([
    'p/epoch-x/db/generations/aa/snapshots/0',
    'p/epoch-0/db/generations/aa/snapshots/0',
    'p/epochs',
  ])
  expect(await findUsableEpoch(list, 'p', 99)).toBeUndefined()
})
