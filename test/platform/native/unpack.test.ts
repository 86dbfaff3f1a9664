import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedPart } from '../../../src/platform/native/embedded.ts'
import { ensurePrivateFolder, UnpackError, unpackPart } from '../../../src/platform/native/unpack.ts'
import { packedPart } from './packed-part.ts'

let dir = ''
let base = ''
let part: EmbeddedPart

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'unpack-test-'))
  base = join(dir, 'data/unpacked')
  part = await packedPart(dir, {
    'addon.node': 'the addon',
    'lib/library.so.1': 'the library\0of many bytes',
  })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const written = (name: string) => readFileSync(join(base, 'sharp-0123456789abcdef', name), 'utf8')

function expectWhole(): void {
  expect(written('addon.node')).toBe('the addon')
  expect(written('lib/library.so.1')).toBe('the library\0of many bytes')
  expect(readdirSync(base).filter((name) => name.startsWith('.'))).toEqual([])
}

/** Runs the unpacking in a process of its own, on the same base. */
function unpackElsewhere(user?: number): Bun.Subprocess<'ignore', 'pipe', 'pipe'> {
  const module = join(import.meta.dir, '../../../src/platform/native/unpack.ts')
  const script = `import { unpackPart } from ${JSON.stringify(module)}
${user === undefined ? '' : `process.setgid(${user}); process.setuid(${user})`}
try { console.log(unpackPart('sharp', ${JSON.stringify(part)}, ${JSON.stringify(base)})) }
catch (error) { console.log(error.name, error.isRefused, error.message) }`
  return Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' })
}

/** Bytes of the file that another process is writing; -1 before there is one. */
function stagedBytes(): number {
  if (!existsSync(base)) return -1
  const [staging] = readdirSync(base).filter((name) => name.startsWith('.'))
  const stats = staging && statSync(join(base, staging, 'file'), { throwIfNoEntry: false })
  return stats ? stats.size : -1
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('unpackPart', () => {
  test('what root unpacks for another user belongs to that user', () => {
    const user = process.getuid?.() === 0 ? 1234 : (process.getuid?.() ?? 0)
    mkdirSync(join(dir, 'data'), { mode: 0o700 })
    chmodSync(dir, 0o755)
    // A command that another test ran has left its umask to this process.
    for (const name of readdirSync(dir)) if (name.startsWith('source-')) chmodSync(join(dir, name), 0o644)
    chownSync(join(dir, 'data'), user, process.getgid?.() ?? 0)
    unpackPart('sharp', part, base)
    expectWhole()
    const all = ['.', ...(readdirSync(base, { recursive: true }) as string[])]
    expect(all).toHaveLength(5)
    for (const name of all) expect([name, statSync(join(base, name)).uid]).toEqual([name, user])
    expect(process.geteuid?.()).toBe(process.getuid?.())
  })

  test('writes every file with its relative place into a folder named by the content', () => {
    expect(unpackPart('sharp', part, base)).toBe(join(base, 'sharp-0123456789abcdef'))
    expectWhole()
  })

  test('folders are open to their owner only, and files too', () => {
    const folder = unpackPart('sharp', part, base)
    for (const path of [base, folder, join(folder, 'lib')]) expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'addon.node')).mode & 0o777).toBe(0o600)
  })

  test('a second start writes nothing', () => {
    const folder = unpackPart('sharp', part, base)
    const before = statSync(join(folder, 'addon.node'))
    unpackPart('sharp', part, base)
    const after = statSync(join(folder, 'addon.node'))
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs])
  })

  test('a second start needs no right to write', () => {
    unpackPart('sharp', part, base)
    for (const file of part.files) rmSync(file.source)
    chmodSync(base, 0o500)
    expect(unpackPart('sharp', part, base)).toBe(join(base, 'sharp-0123456789abcdef'))
  })

  test.each([
    ['cut short', (path: string) => writeFileSync(path, 'the ad')],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['missing', (path: string) => rmSync(path)],
    ['too long', (path: string) => writeFileSync(path, 'the addon and more')],
    ['of the right size with other bytes', (path: string) => writeFileSync(path, 'the addom')],
    [
      'changed without a trace in its times',
      (path: string) => {
        const { atime, mtime } = statSync(path)
        writeFileSync(path, 'thf addon')
        utimesSync(path, atime, mtime)
      },
    ],
    [
      'a link to nowhere',
      (path: string) => {
        rmSync(path)
        symlinkSync('/nonexistent/library', path)
      },
    ],
  ])('a file that is %s is put right and the whole ones stay untouched', (_, harm) => {
    const folder = unpackPart('sharp', part, base)
    const library = statSync(join(folder, 'lib/library.so.1'))
    harm(join(folder, 'addon.node'))
    unpackPart('sharp', part, base)
    expectWhole()
    expect(statSync(join(folder, 'lib/library.so.1')).ino).toBe(library.ino)
  })

  test('a damaged file is replaced and never changed, since a running process may have it mapped', () => {
    const folder = unpackPart('sharp', part, base)
    writeFileSync(join(folder, 'addon.node'), 'short')
    const before = statSync(join(folder, 'addon.node')).ino
    unpackPart('sharp', part, base)
    expect(statSync(join(folder, 'addon.node')).ino).not.toBe(before)
  })

  test('tells of what it put right, and of nothing that was missing', () => {
    const told: string[] = []
    const folder = unpackPart('sharp', part, base, (path) => void told.push(path))
    expect(told).toEqual([])
    rmSync(join(folder, 'addon.node'))
    writeFileSync(join(folder, 'lib/library.so.1'), 'short')
    unpackPart('sharp', part, base, (path) => void told.push(path))
    expect(told).toEqual([join(folder, 'lib/library.so.1')])
    expectWhole()
  })

  test.each([
    ['another bit in a frame', (packed: Buffer) => packed.map((byte, at) => (at === 9 ? byte ^ 1 : byte))],
    ['another length of a frame', (packed: Buffer) => packed.map((byte, at) => (at === 3 ? 0x7f : byte))],
    ['a missing end', (packed: Buffer) => packed.subarray(0, -1)],
    ['nothing', () => Buffer.alloc(0)],
    ['the packed form of other bytes', () => readFileSync(join(dir, 'source-1'))],
  ])('an executable that holds %s says so and leaves no file', (_, damage) => {
    writeFileSync(join(dir, 'source-0'), damage(readFileSync(join(dir, 'source-0'))))
    expect(() => unpackPart('sharp', part, base)).toThrow(
      'addon.node is damaged inside the executable: download or build it again',
    )
    expect(readdirSync(join(base, 'sharp-0123456789abcdef'))).toEqual([])
    expect(readdirSync(base).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('what unpacks to other bytes than the build saw is never put in place', () => {
    const other = { ...part, files: part.files.map((file) => ({ ...file, hash: '0'.repeat(16) })) }
    expect(() => unpackPart('sharp', other, base)).toThrow('is damaged inside the executable')
    expect(existsSync(join(base, 'sharp-0123456789abcdef/addon.node'))).toBe(false)
  })

  test('four processes at once all succeed and leave one whole copy', async () => {
    const large = 'x'.repeat(4_000_000)
    part = await packedPart(dir, { 'addon.node': large, 'lib/library.so.1': `${large}y` })
    const children = Array.from({ length: 4 }, () => unpackElsewhere())
    const answers = await Promise.all(children.map((child) => new Response(child.stdout).text()))
    expect(answers).toEqual(Array(4).fill(`${join(base, 'sharp-0123456789abcdef')}\n`))
    expect(written('addon.node')).toBe(large)
    expect(written('lib/library.so.1')).toBe(`${large}y`)
    expect(readdirSync(base)).toEqual(['sharp-0123456789abcdef'])
  })

  test('a process that is killed in between leaves nothing that the next one trusts', async () => {
    const large = Buffer.alloc(12_000_000, randomBytes(1_000))
    part = await packedPart(dir, { 'addon.node': large, 'lib/library.so.1': 'the library' })
    for (const megabytes of [0, 1, 3, 6, 9, 12]) {
      const child = unpackElsewhere()
      // Kills it while it writes the large file, or just after.
      while (child.exitCode === null && stagedBytes() < megabytes * 1_000_000) await nextTurn()
      child.kill('SIGKILL')
      await child.exited
      const told: string[] = []
      const folder = unpackPart('sharp', part, base, (path) => void told.push(path))
      expect(readFileSync(join(folder, 'addon.node')).equals(large)).toBe(true)
      expect(written('lib/library.so.1')).toBe('the library')
      // Under its name a file is whole, or it is not there.
      expect(told).toEqual([])
      rmSync(base, { recursive: true })
    }
  })

  test('what a crash or an older version left is removed after an hour, and not before', () => {
    for (const name of ['.unpack-old', '.unpack-new', 'sharp-older', 'sharp-newer', 'model-older']) {
      mkdirSync(join(base, name), { recursive: true })
      writeFileSync(join(base, name, 'file'), 'x')
    }
    const now = statSync(base).mtimeMs / 1000
    for (const name of ['.unpack-old', 'sharp-older', 'model-older'])
      utimesSync(join(base, name), now - 4000, now - 4000)
    unpackPart('sharp', part, base)
    expect(readdirSync(base).sort()).toEqual([
      '.unpack-new',
      'model-older',
      'sharp-0123456789abcdef',
      'sharp-newer',
    ])
  })

  test('a base that is a file is refused with its path in the message', () => {
    mkdirSync(join(dir, 'data'))
    writeFileSync(base, 'not a folder')
    const attempt = () => unpackPart('sharp', part, base)
    expect(attempt).toThrow(UnpackError)
    expect(attempt).toThrow(`cannot unpack sharp (1 MB) into ${base}`)
  })

  test.skipIf(process.getuid?.() !== 0)('a base that this user may not write is refused', async () => {
    mkdirSync(base, { recursive: true })
    chmodSync(dir, 0o755)
    expect(await new Response(unpackElsewhere(65534).stdout).text()).toStartWith(
      'UnpackError true cannot unpack sharp',
    )
  })

  test.skipIf(process.getuid?.() === 0)('a base without the right to write is refused', () => {
    mkdirSync(base, { recursive: true })
    chmodSync(base, 0o500)
    expect(() => unpackPart('sharp', part, base)).toThrow(`cannot unpack sharp (1 MB) into ${base}`)
  })

  test('a disk that refuses bytes leaves no half file behind', async () => {
    part = await packedPart(dir, { 'addon.node': 'x'.repeat(100_000) })
    const script = `ulimit -f 20; trap '' XFSZ; exec "$0" "$@"`
    const module = join(import.meta.dir, '../../../src/platform/native/unpack.ts')
    const code = `import { unpackPart } from ${JSON.stringify(module)}
try { unpackPart('sharp', ${JSON.stringify(part)}, ${JSON.stringify(base)}) } catch (error) { console.log(error.message) }`
    const child = Bun.spawn(['sh', '-c', script, process.execPath, '-e', code], { stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toStartWith(`cannot unpack sharp (1 MB) into ${base}`)
    expect(readdirSync(base).filter((name) => name.startsWith('.'))).toEqual([])
    expect(existsSync(join(base, 'sharp-0123456789abcdef/addon.node'))).toBe(false)
  })
})

describe('ensurePrivateFolder', () => {
  const me = process.getuid?.() ?? 0

  test('makes a folder that only this user can enter', () => {
    const folder = ensurePrivateFolder(join(dir, 'own'), me)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('closes a folder of ours that others could write', () => {
    mkdirSync(join(dir, 'open'))
    chmodSync(join(dir, 'open'), 0o777)
    expect(statSync(ensurePrivateFolder(join(dir, 'open'), me)).mode & 0o777).toBe(0o700)
  })

  test('refuses the folder of another user', () => {
    mkdirSync(join(dir, 'foreign'))
    expect(() => ensurePrivateFolder(join(dir, 'foreign'), me + 1)).toThrow('is not a folder of this user')
  })

  test('refuses a link, which another user could have laid', () => {
    mkdirSync(join(dir, 'target'))
    symlinkSync(join(dir, 'target'), join(dir, 'link'))
    expect(() => ensurePrivateFolder(join(dir, 'link'), me)).toThrow('is not a folder of this user')
  })
})
