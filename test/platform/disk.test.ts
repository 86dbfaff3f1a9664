import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeDiskShare } from '../../src/platform/disk.ts'

test('freeDiskShare is a share of the folder’s file system', async () => {
  const share = await freeDiskShare(tmpdir())
  expect(share).toBeGreaterThanOrEqual(0)
  expect(share).toBeLessThanOrEqual(1)
})

test('freeDiskShare: a file system without blocks of its own is never full', async () => {
  expect(await freeDiskShare('/proc')).toBe(1)
})

test('freeDiskShare: a folder that is not there is an error', async () => {
  await expect(freeDiskShare(join(tmpdir(), 'lookalike-none'))).rejects.toThrow('ENOENT')
})
