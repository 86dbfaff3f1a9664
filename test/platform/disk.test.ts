import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFreeDiskShare } from '../../src/platform/disk.ts'

test('readFreeDiskShare gives a share of the folder’s file system', async () => {
  const share = await readFreeDiskShare(tmpdir())
  expect(share).toBeGreaterThanOrEqual(0)
  expect(share).toBeLessThanOrEqual(1)
})

test('readFreeDiskShare: a file system without blocks of its own is never full', async () => {
  expect(await readFreeDiskShare('/proc')).toBe(1)
})

test('readFreeDiskShare: a missing folder is an error', async () => {
  await expect(readFreeDiskShare(join(tmpdir(), 'lookalike-none'))).rejects.toThrow('ENOENT')
})
