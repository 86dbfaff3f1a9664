import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { unpackBases } from '../../../src/platform/native/unpack-base.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'unpack-base-test-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const first = (argv: string[], env: Record<string, string>) => unpackBases(argv, env)[0]?.()

describe('unpackBases', () => {
  test.each([
    ['./data without any setting', [], {}, resolve('data/unpacked')],
    ['DATA_DIR', [], { DATA_DIR: '/var/lib/shop' }, '/var/lib/shop/unpacked'],
    ['a flag before DATA_DIR', ['serve', '--data-dir', '/srv/a'], { DATA_DIR: '/b' }, '/srv/a/unpacked'],
    ['a flag with =', ['serve', '--data-dir=/srv/a'], {}, '/srv/a/unpacked'],
    ['the last of two flags', ['--data-dir', '/a', '--data-dir=/c'], {}, '/c/unpacked'],
    ['an explicit folder before all', ['--data-dir', '/a'], { LOOKALIKE_UNPACK_DIR: '/cache' }, '/cache'],
    [
      'an empty setting counts as absent',
      [],
      { DATA_DIR: '', LOOKALIKE_UNPACK_DIR: '' },
      resolve('data/unpacked'),
    ],
  ])('%s', (_, argv, env, expected) => {
    expect(first(argv, env as Record<string, string>)).toBe(expected)
  })

  test('DATA_DIR_FILE names a file that holds the folder', () => {
    writeFileSync(join(dir, 'data-dir'), '/mnt/volume\n')
    expect(first([], { DATA_DIR_FILE: join(dir, 'data-dir') })).toBe('/mnt/volume/unpacked')
  })

  test.each(['demo', 'openapi'])('%s has no data folder and leaves none behind', (command) => {
    const [only, ...others] = unpackBases([command], {})
    expect(only?.()).toStartWith(join(tmpdir(), 'lookalike-'))
    expect(others).toEqual([])
  })

  test('an explicit folder has no substitute', () => {
    expect(unpackBases([], { LOOKALIKE_UNPACK_DIR: '/cache' })).toHaveLength(1)
  })

  test('a data folder that refuses has a private folder below the temporary one as its substitute', () => {
    const before = process.env['TMPDIR']
    process.env['TMPDIR'] = dir
    try {
      expect(unpackBases([], { DATA_DIR: '/proc/none' })[1]?.()).toStartWith(`${dir}/lookalike-`)
    } finally {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
    }
  })
})
