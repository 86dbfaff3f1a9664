import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPictureFiles } from '../../../src/platform/pictures/kept.ts'

const HASH = 'ab'.repeat(32)
let dir: string
let names: number

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lookalike-kept-'))
  names = 0
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const files = (uniqueName = () => `n${++names}`) => createPictureFiles(join(dir, 'pictures'), uniqueName)
const bytes = (...numbers: number[]) => Uint8Array.from(numbers)
const found = () =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))

describe('picture files under their content hash', () => {
  test('what was written is read back, from a folder of the first two digits, by the owner alone', async () => {
    await files().write(HASH, bytes(1, 2, 3))
    expect(Uint8Array.from((await files().read(HASH)) ?? [])).toEqual(bytes(1, 2, 3))
    expect(found()).toEqual([`pictures/ab/${HASH}`])
    expect(statSync(join(dir, 'pictures/ab', HASH)).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, 'pictures/ab')).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, 'pictures')).mode & 0o777).toBe(0o700)
  })

  test('what a crash left half written is cleared away when the folder is opened, and nothing else', async () => {
    await files().write(HASH, bytes(1))
    mkdirSync(join(dir, 'pictures/unfinished'), { recursive: true })
    writeFileSync(join(dir, 'pictures/unfinished/n9'), 'half a pict')
    files()
    expect(found()).toEqual([`pictures/ab/${HASH}`])
  })

  test('a file that is there is not written again', async () => {
    await files().write(HASH, bytes(1))
    const { ino, mtimeMs } = statSync(join(dir, 'pictures/ab', HASH))
    await files().write(HASH, bytes(1))
    expect(statSync(join(dir, 'pictures/ab', HASH))).toMatchObject({ ino, mtimeMs })
  })

  test('twenty writers at once leave one whole file and nothing else', async () => {
    const large = new Uint8Array(300_000).fill(7)
    const store = files()
    await Promise.all(Array.from({ length: 20 }, () => store.write(HASH, large)))
    expect(found()).toEqual([`pictures/ab/${HASH}`])
    expect((await store.read(HASH))?.byteLength).toBe(300_000)
  })

  test('a write that fails leaves nothing behind, and says so', async () => {
    mkdirSync(join(dir, 'pictures'), { recursive: true })
    writeFileSync(join(dir, 'pictures/ab'), 'a file where the folder belongs')
    await expect(files().write(HASH, bytes(1))).rejects.toThrow()
    expect(found()).toEqual(['pictures/ab'])
  })

  test('two writes under one unique name do not mix: the second is refused', async () => {
    const store = files(() => 'same')
    const results = await Promise.allSettled([
      store.write(HASH, bytes(1)),
      store.write(`ab${'0'.repeat(62)}`, bytes(2)),
    ])
    for (const [n, { status }] of results.entries()) {
      const read = await store.read(n === 0 ? HASH : `ab${'0'.repeat(62)}`)
      if (status === 'fulfilled') expect(Uint8Array.from(read ?? [])).toEqual(bytes(n + 1))
      else expect(read).toBeUndefined()
    }
  })

  test('a missing file is undefined, a removed one as well, and removing twice does no harm', async () => {
    const store = files()
    expect(await store.read(HASH)).toBeUndefined()
    await store.remove(HASH)
    await store.write(HASH, bytes(1))
    await store.remove(HASH)
    await store.remove(HASH)
    expect(await store.read(HASH)).toBeUndefined()
    expect(found()).toEqual([])
  })

  test('what cannot be read for another reason is an error, not a missing picture', async () => {
    mkdirSync(join(dir, 'pictures/ab', HASH), { recursive: true })
    await expect(files().read(HASH)).rejects.toThrow()
  })
})
