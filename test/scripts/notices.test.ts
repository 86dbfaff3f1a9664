import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  collectComponent,
  collectLibvips,
  collectPackage,
  findPackages,
  type Notice,
} from '../../scripts/generate/notices/collect.ts'
import { BUN, DATA, LIBVIPS, ONNXRUNTIME } from '../../scripts/generate/notices/components.ts'
import { describeCard, describeModel } from '../../scripts/generate/notices/model.ts'
import { collectNotices, formatNotices, type Notices } from '../../scripts/generate/notices.ts'

const FOLDER = join(import.meta.dir, '../../scripts/generate/notices')
const CARD = '# A model\n\n## Data\nfrom here\n\n## Attribution\nthanks\n\n## Speed\nfast\n'

let folder: string
let notices: Notices

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-notices-'))
  notices = await collectNotices()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Makes a package of these files. */
function makePackage(name: string, files: Record<string, string>): void {
  mkdirSync(join(folder, name), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text)
}

describe('what ships without a licence fails the build', () => {
  test('an npm package without a text', () => {
    makePackage('bare', { 'package.json': '{"version":"1.0.0","license":"MIT"}' })
    expect(() => collectPackage('bare', folder)).toThrow('bare ships without a licence text')
  })

  test('an npm package that does not name its licence', () => {
    makePackage('nameless', { 'package.json': '{"version":"1.0.0"}', LICENSE: 'Do as you like' })
    expect(() => collectPackage('nameless', folder)).toThrow('nameless does not name its licence')
  })

  test('a library inside libvips that nobody knows', () => {
    expect(() => collectLibvips({ vips: '8', jxl: '1' })).toThrow('libvips contains jxl')
  })

  test('a component without notice or text', () => {
    expect(() => collectComponent({ name: 'x', licence: 'MIT' })).toThrow('x ships without a notice')
    expect(() => collectComponent({ name: 'x', licence: 'MIT', file: 'nowhere' })).toThrow('is missing')
  })
})

test('a package gives its licences and notices, and nothing else of it', () => {
  makePackage('good', {
    'package.json': '{"version":"1.2.3","license":{"type":"ISC"}}',
    'LICENSE.md': 'the licence',
    NOTICE: 'the notice',
    'licences.js': 'code',
    'README.md': 'text',
  })
  expect(collectPackage('good', folder)).toEqual({
    ...{ name: 'good', version: '1.2.3', licence: 'ISC' },
    ...{ texts: ['the licence', 'the notice'], licences: [] },
  })
})

test('packages are found in paths, also those of a scope and those inside others', () => {
  expect(
    findPackages([
      'node_modules/a/x.js',
      '/r/node_modules/@s/b/y.js',
      'node_modules/a/node_modules/c/z.js',
      'src/d.ts',
    ]),
  ).toEqual(['@s/b', 'a', 'c'])
})

describe('the notices', () => {
  test('tell of direct and transitive packages, native ones and what is compiled in', () => {
    const names = notices.packages.map(({ name }) => name)
    for (const name of [
      'elysia',
      'memoirist',
      'pino',
      'sonic-boom',
      'sharp',
      'better-sqlite3',
      'swagger-ui-dist',
    ]) {
      expect(names).toContain(name)
    }
    expect(names.some((name) => name.startsWith('sqlite-vec-'))).toBe(true)
    expect(names.some((name) => name.startsWith('@img/sharp-'))).toBe(true)
    // Only for development.
    for (const name of ['typescript', 'knip', 'playwright-core', 'marked']) expect(names).not.toContain(name)
  })

  test('every entry has a licence and a text', () => {
    for (const list of Object.values(notices)) {
      expect(list.length).toBeGreaterThan(0)
      for (const { name, licence, texts, licences } of list) {
        expect([name, licence.length > 2, [...texts, ...licences].join('').length > 20]).toEqual([
          name,
          true,
          true,
        ])
      }
    }
  })

  test('the text has licence, model, LGPL and GPL in full, and how to replace a library', () => {
    const text = formatNotices(notices, 'Our own licence', describeCard(CARD))
    for (const words of [
      'Our own licence',
      'Data\nfrom here',
      'Attribution\nthanks',
      'LIBRARY_DIR',
      `Bun ${Bun.version}`,
      'GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007',
      'GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007',
      'GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 2.1, February 1999',
      'GNU LIBRARY GENERAL PUBLIC LICENSE',
      'WordNet 3.0 Copyright 2006 by Princeton University',
    ]) {
      expect([words, text.includes(words)]).toEqual([words, true])
    }
    expect([text.includes('Speed\nfast'), text.includes('undefined')]).toEqual([false, false])
  })

  test('a model card without its sources fails', () => {
    expect(() => describeCard('# A model\n')).toThrow('lacks its section "Data"')
  })

  test('a model that somebody brings is told of with its licence files, its page and the full text', () => {
    const model = join(folder, 'their-clip')
    mkdirSync(model)
    expect(() => describeModel(model)).toThrow('their-clip does not say under which licence')
    writeFileSync(join(model, 'README.md'), '# No head\nlicense: mit\n')
    expect(() => describeModel(model)).toThrow('"license:"')
    writeFileSync(join(model, 'README.md'), '---\ntags:\n- vision\nlicense: mit\n---\n# Their page\n')
    const told = describeModel(model)
    expect(told).toStartWith('their-clip: mit\n')
    expect(told).toContain('Their page')
    expect(told).toContain('Permission is hereby granted')
    writeFileSync(join(model, 'LICENSE.txt'), 'Their licence')
    const text = formatNotices({ ...notices, data: [] }, 'Our own licence', describeModel(model))
    expect(text).toContain('Their licence')
    expect([text.includes('Data in the model'), text.includes('WordNet')]).toEqual([false, false])
  })

  test('no text lies there unused', () => {
    const components = [...BUN, ...DATA, ...ONNXRUNTIME, ...Object.values(LIBVIPS)]
    const files = new Set(components.flatMap(({ file }) => (file === undefined ? [] : [`${file}.txt`])))
    expect(readdirSync(join(FOLDER, 'libraries')).sort()).toEqual([...files].sort())
    const asked = new Set(
      Object.values(notices).flatMap((list: Notice[]) => list.flatMap(({ licences }) => licences)),
    )
    expect(readdirSync(join(FOLDER, 'licences')).sort()).toEqual(
      [...asked].map((name) => `${name}.txt`).sort(),
    )
  })

  test('the packed text is the one that is built', () => {
    const generated = join(import.meta.dir, '../../dist/generated')
    const packed = readFileSync(join(generated, 'notices.txt.gz'))
    expect(new TextDecoder().decode(Bun.gunzipSync(packed))).toStartWith('Lookalike: licences and notices\n')
    expect(JSON.parse(readFileSync(join(generated, 'notices.json'), 'utf8'))).toEqual(
      notices.packages.map(({ name }) => name),
    )
  })
})
