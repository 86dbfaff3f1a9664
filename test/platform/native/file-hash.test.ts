import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashBytes, hashFile } from '../../../src/platform/native/file-hash.ts'

const MIB = 1024 * 1024
const dir = mkdtempSync(join(tmpdir(), 'hash-test-'))
afterAll(() => rmSync(dir, { recursive: true }))

function written(bytes: Uint8Array): string {
  const path = join(dir, 'file')
  writeFileSync(path, bytes)
  return path
}
const sample = (length: number) => new Uint8Array(length).map((_, n) => (n * 31) % 251)

test.each([0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB, 3.5 * MIB])(
  '%d bytes: the file and its bytes have one hash',
  (length) => {
    const bytes = sample(length)
    expect(hashBytes(bytes)).toMatch(/^[0-9a-f]{16}$/)
    expect(hashFile(written(bytes))).toBe(hashBytes(bytes))
  },
)

test('one flipped bit anywhere, a swap of two blocks, and a missing end give other hashes', () => {
  const bytes = sample(3.5 * MIB)
  const changed = [0, 1, MIB - 1, MIB, 2 * MIB + 7, bytes.length - 1].map((at) => {
    const copy = bytes.slice()
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  })
  const swapped = Buffer.concat([
    bytes.subarray(MIB, 2 * MIB),
    bytes.subarray(0, MIB),
    bytes.subarray(2 * MIB),
  ])
  const all = [bytes, ...changed, swapped, bytes.subarray(0, -1), bytes.subarray(0, 3 * MIB)]
  expect(new Set(all.map(hashBytes)).size).toBe(all.length)
})

test('a file that is not there is an error', () => {
  expect(() => hashFile(join(dir, 'nothing'))).toThrow('ENOENT')
})
