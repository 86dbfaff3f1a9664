import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '../../../src/core/errors.ts'
import { readSpooledForm } from '../../../src/http/multipart/spooled-form.ts'
import { createWorkFiles, type WorkFiles } from '../../../src/platform/work-files.ts'
import { countingIds } from '../../support/app.ts'

let folder: string
let files: WorkFiles

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-form-'))
  files = createWorkFiles(folder, { isKept: false })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const part = (head: string, content: string) => `--b\r\n${head}\r\n\r\n${content}\r\n`
const field = (name: string, content: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, content)
const file = (name: string, content: string, fileName = 'a.csv') =>
  part(`Content-Disposition: form-data; name="${name}"; filename="${fileName}"`, content)

const open = (text: string) =>
  readSpooledForm(
    {
      async *pieces() {
        const body = Buffer.from(text, 'latin1')
        for (let at = 0; at < body.length; at += 10_000) yield body.subarray(at, at + 10_000)
      },
    },
    'multipart/form-data; boundary=b',
    { files, ids: countingIds() },
  )

/** The status of a refusal, and the problem that it names. */
async function refusal(text: string): Promise<unknown> {
  try {
    await open(text)
    return 'taken'
  } catch (error) {
    if (!(error instanceof ApiError)) return error
    const [problem] = (error.extras.details?.['errors'] ?? []) as readonly {
      pointer: string
      message: string
    }[]
    return problem ? `${problem.pointer} ${problem.message}` : error.code
  }
}

async function readFile(form: Awaited<ReturnType<typeof open>>): Promise<string> {
  let text = ''
  for await (const piece of form.file?.pieces() ?? []) text += Buffer.from(piece).toString('latin1')
  return text
}

describe('a form with a file, read from the disk', () => {
  test('gives its fields, and its file from another file, which goes with it', async () => {
    const content = 'id,name\r\n--c\r\n'.repeat(20_000)
    const form = await open(`${field('format', 'csv')}${file('file', content)}${field('mapping', '')}--b--`)
    expect([...form.fields]).toEqual([
      ['format', 'csv'],
      ['mapping', ''],
    ])
    expect(form.file?.name).toBe('a.csv')
    expect(await readFile(form)).toBe(content)
    expect(await files.list()).toHaveLength(1)
    await form[Symbol.asyncDispose]()
    expect(await files.list()).toEqual([])
  })

  test('may have no file, or an empty one', async () => {
    expect((await open(`${field('format', 'csv')}--b--`)).file).toBeUndefined()
    await using form = await open(`${file('file', '')}--b--`)
    expect(await readFile(form)).toBe('')
  })

  test('takes a file without a name for one, and the last name of a path', async () => {
    const disposition =
      'Content-Disposition: form-data; name="file"\r\nContent-Type: Application/Octet-Stream'
    await using nameless = await open(`${part(disposition, 'x')}--b--`)
    expect([nameless.file?.name, await readFile(nameless)]).toEqual(['', 'x'])
    await nameless[Symbol.asyncDispose]()
    await using path = await open(`${file('file', '', 'C:\\shop\\b.tsv')}--b--`)
    expect(path.file?.name).toBe('b.tsv')
  })

  test.each([
    ['Content-Type: text/plain; charset=ISO-8859-1', 'Gr\u00f6\u00dfe'],
    ['Content-Type: text/plain; charset="utf-8"', 'Gr\u00c3\u00b6\u00c3\u009fe'],
    ['Content-Type: text/plain; charset=nonsense', 'Gr\u00c3\u00b6\u00c3\u009fe'],
    ['X: y', 'Gr\u00c3\u00b6\u00c3\u009fe'],
  ])('reads a text as its part says: %s', async (type, content) => {
    const head = `Content-Disposition: form-data; name="mapping"\r\n${type}`
    const form = await open(`${part(head, content)}--b--`)
    expect(form.fields.get('mapping')).toBe('Größe')
  })

  test('leaves out parts that are no named fields', async () => {
    const other = part('Content-Disposition: attachment; name="a"', 'x') + part('X: y', 'x')
    const form = await open(`${other}${field('format', 'csv')}--b--`)
    expect([[...form.fields], form.file]).toEqual([[['format', 'csv']], undefined])
  })

  test.each([
    [
      'a file in another field',
      file('picture', 'x'),
      '/picture must not be a file: the file belongs in the field file',
    ],
    ['two files', file('file', 'x') + file('file', 'y'), '/file must be sent only once'],
    ['a repeated field', field('format', 'x') + field('format', 'y'), '/format must be sent only once'],
    ['a long field', field('mapping', 'x'.repeat(65_537)), '/mapping must have at most 65536 bytes'],
    [
      '21 fields',
      Array.from({ length: 21 }, (_, n) => field(`f${n}`, 'x')).join(''),
      ' The form has more than 20 fields',
    ],
    ['23 parts', part('X: y', 'x').repeat(23), ' The form has more than 20 fields'],
    ['a cut in its file', file('file', 'x').slice(0, -2), 'invalid_request'],
  ])('with %s is refused, and leaves nothing', async (name, parts, expected) => {
    expect(await refusal(name.startsWith('a cut') ? parts : `${parts}--b--`)).toBe(expected)
    expect(await files.list()).toEqual([])
  })

  test('with 20 fields of 64 KiB is taken', async () => {
    const text = 'x'.repeat(64 * 1024)
    const form = await open(`${Array.from({ length: 20 }, (_, n) => field(`f${n}`, text)).join('')}--b--`)
    expect(form.fields.size).toBe(20)
    expect(form.fields.get('f19')).toBe(text)
  })
})
