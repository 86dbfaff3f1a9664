import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyPictures, fetchPictures, type PictureObjects } from '../../../src/platform/pictures/copied.ts'
import { createPictureFiles, type PictureFiles } from '../../../src/platform/pictures/kept.ts'

let folder: string
let stop: AbortController
const log = { info() {}, warn() {} }
const bytesOf = (n: number) => new TextEncoder().encode(`picture ${n}`)
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const filesIn = (name: string): [string, PictureFiles] => [
  join(folder, name),
  createPictureFiles(join(folder, name), randomUUID),
]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-copied-'))
  stop = new AbortController()
})
afterEach(() => {
  stop.abort()
  rmSync(folder, { recursive: true, force: true })
})

/** A bucket that tells when it has so many objects. */
function bucketWith() {
  const objects = new Map<string, Uint8Array>()
  const waiting: { size: number; resolve: () => void }[] = []
  const bucket: PictureObjects = {
    async put(key, bytes) {
      objects.set(key, bytes)
      for (const { size, resolve } of waiting) if (objects.size >= size) resolve()
    },
    read: async (key) => objects.get(key) ?? Promise.reject(new Error('no such key')),
    list: async (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)),
  }
  const reaches = (size: number) =>
    new Promise<void>((resolve) => {
      if (objects.size >= size) resolve()
      else waiting.push({ size, resolve })
    })
  return { objects, bucket, reaches }
}

test('the pictures that the bucket lacks are sent, and then each new one', async () => {
  const [dir, files] = filesIn('owner')
  const [first, second, third] = [bytesOf(1), bytesOf(2), bytesOf(3)]
  for (const bytes of [first, second]) await files.write(hashOf(bytes), bytes)
  const { objects, bucket, reaches } = bucketWith()
  await bucket.put(`p/pictures/${hashOf(first)}`, first)
  const copied = copyPictures({
    ...{ dir, files, log, stop: stop.signal },
    objects: bucket,
    prefix: 'p/pictures',
  })
  await reaches(2)
  await copied.files.write(hashOf(third), third)
  await reaches(3)
  expect([...objects.keys()].sort()).toEqual(
    [first, second, third].map((bytes) => `p/pictures/${hashOf(bytes)}`).sort(),
  )
  // A copy that is restored later may name it.
  await copied.files.remove(hashOf(third))
  expect(objects.size).toBe(3)
})

test('a standby brings what it lacks, and nothing whose contents are not what its name says', async () => {
  const [dir, files] = filesIn('standby')
  const [first, second, forged] = [bytesOf(1), bytesOf(2), bytesOf(3)]
  await files.write(hashOf(first), first)
  const { bucket } = bucketWith()
  for (const bytes of [first, second]) await bucket.put(`p/pictures/${hashOf(bytes)}`, bytes)
  await bucket.put(`p/pictures/${hashOf(forged)}`, bytesOf(99))
  await bucket.put(`p/pictures/${hashOf(forged)}.txt`, forged)
  const place = { ...{ dir, files, stop: stop.signal }, objects: bucket, prefix: 'p/pictures' }
  expect(await fetchPictures(place, 10)).toEqual({ fetched: 1, isComplete: true })
  expect(await files.read(hashOf(second))).toEqual(Buffer.from(second))
  expect(await files.read(hashOf(forged))).toBeUndefined()
  expect(await fetchPictures(place, 10)).toEqual({ fetched: 0, isComplete: true })
})

test('many pictures come in several calls', async () => {
  const [dir, files] = filesIn('standby')
  const { bucket } = bucketWith()
  for (let n = 0; n < 5; n++) await bucket.put(`p/pictures/${hashOf(bytesOf(n))}`, bytesOf(n))
  const place = { ...{ dir, files, stop: stop.signal }, objects: bucket, prefix: 'p/pictures' }
  expect(await fetchPictures(place, 3)).toEqual({ fetched: 3, isComplete: false })
  expect(await fetchPictures(place, 3)).toEqual({ fetched: 2, isComplete: true })
})
