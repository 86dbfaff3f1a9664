import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedPart } from '../../../src/platform/native/embedded.ts'
import { findLibraries, readLibraryDir, replaceLibraries } from '../../../src/platform/native/library-dir.ts'
import { unpackPart } from '../../../src/platform/native/unpack.ts'
import { packedPart } from './packed-part.ts'

let dir: string
let own: string
let part: EmbeddedPart

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'library-test-'))
  own = mkdtempSync(join(dir, 'own-'))
  part = await packedPart(dir, {
    'a/lib/libvips-cpp.so.8.18.7': 'ours',
    'b/lib/sharp.node': 'addon',
    'b/config.json': '{}',
  })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const put = (name: string, text = 'theirs') => writeFileSync(join(own, name), text)

test.each([
  ['no setting', [], {}, undefined],
  ['an empty one', [], { LIBRARY_DIR: '' }, undefined],
  ['the environment', [], { LIBRARY_DIR: '/opt/libraries' }, '/opt/libraries'],
  ['a relative one', [], { LIBRARY_DIR: 'own' }, join(process.cwd(), 'own')],
  ['a flag before it', ['serve', '--library-dir', '/srv/a'], { LIBRARY_DIR: '/b' }, '/srv/a'],
  ['a flag with =', ['serve', '--library-dir=/srv/a'], {}, '/srv/a'],
])('%s', (_, argv, env: Record<string, string>, expected) => {
  expect(readLibraryDir(argv, env)).toBe(expected)
})

test('the library of the same file name takes the place, and the rest are copies beside it', () => {
  put('libvips-cpp.so.8.18.7')
  expect(findLibraries(part, own)).toEqual(['a/lib/libvips-cpp.so.8.18.7'])
  const folder = unpackPart('sharp', replaceLibraries(part, own), join(dir, 'unpacked'))
  expect(readlinkSync(join(folder, 'a/lib/libvips-cpp.so.8.18.7'))).toBe(join(own, 'libvips-cpp.so.8.18.7'))
  expect(readFileSync(join(folder, 'b/lib/sharp.node'), 'utf8')).toBe('addon')
  expect(readFileSync(join(own, 'libvips-cpp.so.8.18.7'), 'utf8')).toBe('theirs')
})

test('each choice of libraries has a folder of its own, and so has each folder', () => {
  put('libvips-cpp.so.8.18.7')
  const { hash } = replaceLibraries(part, own)
  expect(replaceLibraries(part, own).hash).toBe(hash)
  put('sharp.node')
  const both = replaceLibraries(part, own).hash
  const elsewhere = mkdtempSync(join(dir, 'other-'))
  writeFileSync(join(elsewhere, 'libvips-cpp.so.8.18.7'), 'theirs')
  expect(new Set([part.hash, hash, both, replaceLibraries(part, elsewhere).hash]).size).toBe(4)
})

test('a link that leads elsewhere by now is laid anew', () => {
  put('sharp.node')
  const place = () => unpackPart('sharp', replaceLibraries(part, own), join(dir, 'unpacked'))
  const link = join(place(), 'b/lib/sharp.node')
  rmSync(link)
  writeFileSync(link, 'something else')
  place()
  expect(readlinkSync(link)).toBe(join(own, 'sharp.node'))
})

test('other names and files that are no libraries replace nothing', () => {
  put('libvips.so.42')
  put('config.json')
  expect(replaceLibraries(part, own)).toBe(part)
})

test('a folder that cannot be read is refused by the name of the setting', () => {
  expect(() => replaceLibraries(part, join(dir, 'nowhere'))).toThrow('LIBRARY_DIR cannot be read: ENOENT')
})
