import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, type Zippable, zipSync } from 'fflate'
import { UnreadableFile } from '../../../src/core/unreadable-file.ts'
import { openZip } from '../../../src/platform/archives/zip.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lookalike-zip-'))
})
afterAll(() => rm(folder, { recursive: true }))

const LIMITS = { entriesMax: 100, bytesMax: 10_000_000 }

let made = 0
async function save(content: Zippable | Uint8Array): Promise<string> {
  const path = join(folder, `${made++}.zip`)
  await writeFile(path, content instanceof Uint8Array ? content : zipSync(content))
  return path
}

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableFile)
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}

test('files are listed by path and unpacked as often as they are opened', async () => {
  const path = await save({
    'shop/products.csv': strToU8('id,image\n'),
    'shop/pictures/': new Uint8Array(0),
    'shop/pictures/böot.jpg': [strToU8('not packed'), { level: 0 }],
  })
  const zip = await openZip(path, LIMITS)
  expect([...zip.entries.keys()]).toEqual(['shop/products.csv', 'shop/pictures/böot.jpg'])
  const entry = zip.entries.get('shop/products.csv')
  expect(entry?.bytes).toBe(9)
  for (const _ of [1, 2])
    expect((await readAll(entry?.open() as AsyncIterable<Uint8Array>)).toString()).toBe('id,image\n')
  zip.close()
})

test.each(['../outside.csv', 'a/../../outside.csv', '/etc/passwd', 'C:/windows/x.csv'])(
  'a path that leaves the archive is refused: %s',
  async (path) => {
    expect(await refusal(openZip(await save({ [path]: strToU8('x') }), LIMITS))).toContain(
      'The zip file is damaged',
    )
  },
)

test('the number of files and their unpacked bytes have limits', async () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`${n}`, strToU8('x')]))
  expect(await refusal(openZip(await save(many), LIMITS))).toContain('more than 100 entries')
  const bomb = await save({ bomb: new Uint8Array(20_000_000) })
  expect(await refusal(openZip(bomb, LIMITS))).toContain('unpacks to too much')
})

test('a file that unpacks to more than its entry says is damaged', async () => {
  const honest = zipSync({ bomb: new Uint8Array(1_000_000) })
  const view = new DataView(honest.buffer, honest.byteOffset, honest.byteLength)
  const directory = view.getUint32(honest.length - 6, true)
  // The unpacked size in the directory.
  view.setUint32(directory + 24, 10, true)
  const zip = await openZip(await save(honest), LIMITS)
  expect(await refusal(readAll(zip.entries.get('bomb')?.open() as AsyncIterable<Uint8Array>))).toContain(
    'damaged',
  )
  zip.close()
})

test.each([
  ['empty', new Uint8Array(0)],
  ['no zip file', strToU8('id,image\n1,https://x.example/1.jpg\n')],
  ['cut', zipSync({ a: strToU8('hello') }).subarray(0, 40)],
])('a file that is %s is refused', async (_name, bytes) => {
  expect(await refusal(openZip(await save(bytes), LIMITS))).toContain('The zip file is damaged')
})

test('changed content is noticed when it is read', async () => {
  const bytes = zipSync({ a: [strToU8('hello hello hello'), { level: 6 }] })
  bytes.fill(0xff, 31, 36)
  const zip = await openZip(await save(bytes), LIMITS)
  expect(await refusal(readAll(zip.entries.get('a')?.open() as AsyncIterable<Uint8Array>))).toContain(
    'damaged',
  )
  zip.close()
})
