import { afterAll, describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { pack as createPack } from 'tar-stream'
import { UnreadableFile } from '../../../src/core/unreadable-file.ts'
import { type BundleManifest, formatSeal } from '../../../src/platform/archives/bundle.ts'
import { type BundleWish, readBundle, readManifest } from '../../../src/platform/archives/bundle-reader.ts'
import { writeBundle } from '../../../src/platform/archives/bundle-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-bundle-'))
afterAll(() => rmSync(folder, { recursive: true }))

const CONTENTS: Readonly<Record<string, Buffer>> = {
  'lookalike.db': Buffer.from('a page of the database '.repeat(20_000)),
  'pictures/ab/abcd': randomBytes(300_000),
  empty: Buffer.alloc(0),
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

function describeParts(contents: Readonly<Record<string, Buffer>> = CONTENTS): BundleManifest {
  return {
    ...{ format: 1, kind: 'backup', version: '0.1.0', schema: 44, model: 'clip', counts: { stores: 1 } },
    made_at: '2026-11-27T00:00:00Z',
    parts: Object.entries(contents).map(([path, bytes]) => ({
      ...{ path, bytes: bytes.length, sha256: sha256(bytes) },
    })),
  }
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000)
}

let made = 0
const newPath = (): string => join(folder, `${made++}.tar.zst`)

async function write(
  manifest = describeParts(),
  contents: Readonly<Record<string, Buffer>> = CONTENTS,
): Promise<string> {
  const path = newPath()
  await writeBundle(path, manifest, ({ path }) => pieces(contents[path] ?? Buffer.alloc(0)))
  return path
}

const WISH: BundleWish = { kind: 'backup', isKnown: (path) => path in CONTENTS }

/** Reads a whole file. @returns its parts by path. */
async function read(path: string, wish: BundleWish = WISH): Promise<Record<string, Buffer>> {
  const parts: Record<string, Buffer> = {}
  await readBundle(path, wish, {
    async take(part, content) {
      parts[part.path] = Buffer.concat(await Array.fromAsync(content))
    },
  })
  return parts
}

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'read',
    (error) => {
      if (!(error instanceof UnreadableFile)) throw error
      return error.message
    },
  )

interface ForeignEntry {
  name: string
  content?: Buffer
  type?: 'file' | 'symlink' | 'link' | 'directory'
}

/** Seals an archive that another program packed. */
async function forge(entries: readonly ForeignEntry[]): Promise<string> {
  const pack = createPack()
  for (const { name, content = Buffer.alloc(0), type = 'file' } of entries)
    pack.entry({ name, type, ...(type.endsWith('link') && { linkname: '/etc/passwd' }) }, content)
  pack.finalize()
  const packed = zstdCompressSync(Buffer.concat(await Array.fromAsync(pack as AsyncIterable<Buffer>)))
  const path = newPath()
  writeFileSync(
    path,
    Buffer.concat([packed, formatSeal(createHash('sha256').update(packed).digest() as Buffer)]),
  )
  return path
}

const forgeWith = (manifest: object, ...entries: ForeignEntry[]): Promise<string> =>
  forge([{ name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)) }, ...entries])

describe('a bundle', () => {
  test('gives back what was written, in order, readable by its owner alone', async () => {
    const path = await write()
    expect(await read(path)).toEqual({ ...CONTENTS })
    expect(await readManifest(path, WISH)).toEqual(describeParts())
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('is a file that tar and zstd unpack', async () => {
    if (!Bun.which('zstd') || !Bun.which('tar')) return
    const { stdout, exitCode } = Bun.spawnSync(['tar', '--zstd', '-xOf', await write(), 'lookalike.db'])
    expect([exitCode, stdout.equals(CONTENTS['lookalike.db'] as Buffer)]).toEqual([0, true])
  })

  test('is not written when a part is not what the manifest says', async () => {
    const wrong: Record<string, Buffer> = { ...CONTENTS, 'pictures/ab/abcd': randomBytes(300_000) }
    const path = newPath()
    const writing = writeBundle(path, describeParts(), (part) => pieces(wrong[part.path] as Buffer))
    expect(writing).rejects.toThrow('pictures/ab/abcd is not what it should be')
    await writing.catch(() => {})
    expect(() => statSync(path)).toThrow('ENOENT')
  })

  test('is not written when it is stopped', async () => {
    const path = newPath()
    const stop = new AbortController()
    const writing = writeBundle(
      path,
      describeParts(),
      ({ path }) => {
        if (path !== 'lookalike.db') stop.abort()
        return pieces(CONTENTS[path] as Buffer)
      },
      { stop: stop.signal },
    )
    await expect(writing).rejects.toThrow('aborted')
    expect(() => statSync(path)).toThrow('ENOENT')
  })

  test('is refused with any flipped byte, and at any length but its own', async () => {
    const whole = readFileSync(await write())
    const path = newPath()
    for (let n = 0; n < 60; n++) {
      const flipped = Buffer.from(whole)
      const at = Math.floor((n / 60) * whole.length) + (n % 7)
      flipped[at] = (flipped[at] as number) ^ (1 << (n % 8))
      writeFileSync(path, flipped)
      expect([at, await refusal(read(path))]).not.toEqual([at, 'read'])
    }
    for (const length of [0, 3, 40, 1_000, whole.length >> 1, whole.length - 57, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, length))
      expect(await refusal(read(path))).toMatch(/truncated|not a file that lookalike made/)
    }
    writeFileSync(path, Buffer.concat([whole, Buffer.from('x')]))
    expect(await refusal(read(path))).toMatch(/seal/)
  }, 30_000)

  test('is refused when it is something else', async () => {
    const other = newPath()
    writeFileSync(other, zstdCompressSync(randomBytes(1_000)))
    expect(await refusal(read(other))).toMatch('its seal is missing')
    expect(await refusal(read(await forge([{ name: 'lookalike.db' }])))).toMatch('begin with a manifest')
    expect(await refusal(read(await forge([])))).toMatch('truncated')
    expect(await refusal(read(await forgeWith([])))).toMatch('malformed')
    expect(await refusal(read(await forgeWith({ ...describeParts(), kind: 'store' })))).toBe(
      'The file is the file of one store, and a backup is needed here',
    )
    expect(await refusal(read(await forgeWith({ ...describeParts(), format: 2, version: '9.0.0' })))).toBe(
      'The file has a newer format than this program knows: lookalike 9.0.0 made it',
    )
  })

  test.each([
    '../x',
    'a/../../x',
    '/etc/x',
    'a//b',
    '.',
    'a/.b',
    'a\\b',
    'c:x',
    'manifest.json',
    'x'.repeat(100),
  ])('is refused with a part named %p', async (name) => {
    const manifest = describeParts({ [name]: Buffer.from('x') })
    const path = await forgeWith(manifest, { name, content: Buffer.from('x') })
    expect(await refusal(read(path, { kind: 'backup', isKnown: () => true }))).toMatch(/outside|malformed/)
  })

  test('is refused with entries that its manifest does not name', async () => {
    const content = Buffer.from('x')
    const manifest = describeParts({ empty: content })
    const named = { name: 'empty', content }
    expect(await refusal(read(await forgeWith(manifest, named)))).toBe('read')
    const refused: [ForeignEntry[], string][] = [
      [[], 'parts are missing'],
      [[named, { name: '../evil', content }], 'where its manifest has another part'],
      [[{ name: 'empty', content: Buffer.from('xx') }], 'where its manifest has another part'],
      [[{ name: 'empty', content: Buffer.from('y') }], 'empty is not what it should be'],
      [[{ name: 'empty', type: 'symlink' }], 'no plain file'],
      [[{ name: 'empty', type: 'link' }], 'no plain file'],
      [[{ name: 'empty', type: 'directory' }], 'no plain file'],
    ]
    for (const [entries, message] of refused)
      expect(await refusal(read(await forgeWith(manifest, ...entries)))).toMatch(message)
    const unknown = describeParts({ other: content })
    expect(await refusal(read(await forgeWith(unknown, { name: 'other', content })))).toMatch(
      'does not belong',
    )
  })

  test('is refused when it unpacks to more than its manifest says', async () => {
    const path = await forgeWith(
      { ...describeParts({}), parts: [] },
      {
        name: 'bomb',
        content: Buffer.alloc(100 * 1024 * 1024),
      },
    )
    expect(await refusal(read(path))).toMatch('another part')
    const pack = createPack()
    pack.entry({ name: 'manifest.json' }, JSON.stringify(describeParts({})))
    pack.finalize()
    const tar = await Array.fromAsync(pack as AsyncIterable<Buffer>)
    const zeros = zstdCompressSync(Buffer.concat([...tar, Buffer.alloc(100 * 1024 * 1024)]))
    const padded = newPath()
    writeFileSync(
      padded,
      Buffer.concat([zeros, formatSeal(createHash('sha256').update(zeros).digest() as Buffer)]),
    )
    expect(await refusal(read(padded))).toMatch('unpacks to more')
  })

  test('passes on what its reader throws', async () => {
    const reading = readBundle(await write(), WISH, {
      take: async () => {
        throw new RangeError('no room')
      },
    })
    await expect(reading).rejects.toThrow(new RangeError('no room'))
  })
})
