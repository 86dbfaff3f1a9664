import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { createPartWriter } from '../../../src/commands/import/part-file.ts'
import { makePictureTable } from '../../../src/commands/import/picture-table.ts'
import { createMeter, type Part, type PartLimits, planParts } from '../../../src/commands/import/split.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import type { ImportRecord } from '../../../src/features/catalogue/imports/formats/record.ts'
import { openTable } from '../../../src/features/catalogue/imports/formats/table.ts'
import { openSource } from '../../../src/features/catalogue/imports/source.ts'
import { openFolder } from '../../../src/platform/archives/folder.ts'
import { openZip } from '../../../src/platform/archives/zip.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-parts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const LOOSE = { tableBytesMax: 1e9, zipBytesMax: 1e9, zipEntriesMax: 1_000 }

async function openFile(content: string | Uint8Array, name: string) {
  const path = join(folder, name)
  writeFileSync(path, content)
  return openSource({ path, open: () => Bun.file(path).stream(), name }, openZip, LOOSE)
}

/** Cuts a file and gives the records of each part with the lines that they come from. */
async function split(content: string | Uint8Array, name: string, limits: Partial<PartLimits>, skip = 0) {
  const opened = await openFile(content, name)
  const meter = createMeter(opened.open)
  const source = { ...opened, table: await openTable(meter.open, opened.table.format) }
  let records = 0
  const parts = await planParts(source, meter, { records: 1_000, bytes: 1e9, ...limits }, () => records++)
  expect(parts.reduce((sum, part) => sum + part.records, 0)).toBe(records)
  if (!parts[0]) {
    const whole = await Array.fromAsync(opened.table.records())
    source.close()
    return { whole, parts: [] }
  }
  const writer = createPartWriter(source, parts[0])
  const read: { records: ImportRecord[]; lines: (number | undefined)[]; pictures: string[] }[] = []
  for (const part of parts.slice(skip)) {
    const path = join(folder, 'part')
    await writer.write(part, path)
    const isZip = source.packing === 'zip'
    const file = {
      path,
      open: () => Bun.file(path).stream(),
      format: isZip ? undefined : source.table.format,
    }
    const again = await openSource(file, openZip, LOOSE)
    const found = await Array.fromAsync(again.table.records())
    const lines = found.map(({ line }) => writer.toLine(part, line))
    read.push({ records: found, lines, pictures: part.pictures.map((picture) => picture.path) })
    again.close()
  }
  await writer.close()
  const whole = await Array.fromAsync(opened.table.records())
  source.close()
  return { whole, parts: read }
}

const contentOf = (record: ImportRecord) => {
  if ('cells' in record) return Object.fromEntries(record.cells)
  return 'product' in record ? record.product : record.problem
}

function expectSame({ whole, parts }: Awaited<ReturnType<typeof split>>): void {
  const all = parts.flatMap(({ records }) => records)
  expect(all.map(contentOf)).toEqual(whole.map(contentOf))
  expect(parts.flatMap(({ lines }) => lines)).toEqual(whole.map(({ line }) => line))
}

describe('parts of a table', () => {
  test('WooCommerce: a variation stays in one part with its product, however many rows lie between', async () => {
    const rows = ['1,variable,A,,1', '2,simple,B,,1', '3,simple,C,,1', '4,variation,D,A,1']
    const found = await split(
      `ID,Type,SKU,Parent,Published,Images\n${rows.map((row) => `${row},`).join('\n')}`,
      'a.csv',
      {
        records: 1,
      },
    )
    expect(found.parts).toHaveLength(1)
    expectSame(found)
  })

  test('CSV: quotes over several lines, blank lines and lines of every end stay whole', async () => {
    const rows = ['1,"a\n""b""\n"', '', '2,x', '3,"y,\r\nz"', '4,ü', '5,', '6,"end"']
    const found = await split(`\n\nid,name\n${rows.join('\r\n')}`, 'a.csv', { records: 2 })
    expect(found.parts.map(({ records }) => records.length)).toEqual([2, 2, 2])
    expectSame(found)
  })

  test('any table gives the same records in parts as in one piece', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é'), maxLength: 6 })
    const row = fc.tuple(cell, cell).map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`))
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (rows, records) => {
          const text = ['id,name', ...rows.map((cells) => cells.join(','))].join('\n')
          const found = await split(text, 'a.csv', { records })
          expectSame(found)
        },
      ),
      { numRuns: 40, endOnFailure: true },
    )
  })

  test('broken rows belong to their part, with their line', async () => {
    const found = await split('id,name\n1,a\n2,b,c,d\n3,c\n4,d,e\n5,f', 'a.csv', { records: 2 })
    expectSame(found)
    expect(found.whole.map((record) => 'problem' in record)).toEqual([false, true, false, true, false])
  })

  test('rows of one handle stay together', async () => {
    const row = (handle: string, n: number) => `${handle},T,http://x.test/${n}.jpg,1`
    const rows = [row('a', 1), row('b', 2), row('b', 3), row('b', 4), row('c', 5), row('d', 6)]
    const table = ['Handle,Title,Image Src,Variant Price', ...rows].join('\n')
    const found = await split(table, 'shop.csv', { records: 2 })
    const handles = found.parts.map(({ records }) =>
      records.map((record) => 'cells' in record && record.cells.get('Handle')?.[0]),
    )
    expect(handles).toEqual([
      ['a', 'b', 'b', 'b'],
      ['c', 'd'],
    ])
    expectSame(found)
  })

  test('NDJSON, gzip and UTF-16', async () => {
    const lines = [1, 2, 3].map((n) => JSON.stringify({ product_id: `p${n}`, text: 'x'.repeat(n) }))
    const text = `${lines.slice(0, 2).join('\n\n')}\nbroken\n${lines[2]}\n`
    expectSame(await split(text, 'a.ndjson', { records: 1 }))
    expectSame(await split(gzipSync(text), 'a.ndjson.gz', { records: 3 }))
    const wide = Buffer.from('\ufeffid\tname\n1\tä\n2\tb\n', 'utf16le')
    expectSame(await split(wide, 'a.tsv', { records: 1 }))
  })

  test('a part ends before it grows beyond its bytes', async () => {
    // Bytes are known by the piece of the file that was read.
    const rows = Array.from({ length: 40 }, (_, n) => `${n},${'x'.repeat(50_000)}`)
    const found = await split(['id,name', ...rows].join('\n'), 'a.csv', { bytes: 500_000 })
    expect(found.parts.length).toBeGreaterThan(2)
    expect(found.parts.length).toBeLessThan(12)
    expectSame(found)
  })

  test('XML: every field of every item', async () => {
    const feed = `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
      <item><g:id>1</g:id><g:image_link>http://x.test/1.jpg</g:image_link><title><![CDATA[A & <b>]]></title></item><item>
      <g:id>2</g:id><g:shipping><g:country>DE</g:country><g:price>1 EUR</g:price></g:shipping>
      <g:additional_image_link>http://x.test/a</g:additional_image_link><g:additional_image_link>http://x.test/b</g:additional_image_link></item>
      <item><g:id>3</g:id><link href="http://x.test/p"/><title>two\nlines &#13; &amp;amp;</title></item></channel></rss>`
    expectSame(await split(feed, 'feed.xml', { records: 1 }))
    expectSame(await split(feed, 'feed.xml', { records: 2 }))
  })

  test('parts that were sent before are read past', async () => {
    const rows = [1, 2, 3, 4, 5].map((n) => `${n},name ${n}`)
    const table = ['id,name', ...rows].join('\n')
    const { whole, parts } = await split(table, 'a.csv', { records: 2 }, 1)
    expect(parts.flatMap(({ records }) => records.map(contentOf))).toEqual(whole.slice(2).map(contentOf))
    const feed = `<rss><channel>${[1, 2, 3].map((n) => `<item><id>${n}</id><image_link>x</image_link></item>`).join('')}</channel></rss>`
    const xml = await split(feed, 'a.xml', { records: 1 }, 2)
    expect(xml.parts.map(({ records }) => records.map(contentOf))).toEqual([
      [{ id: ['3'], image_link: ['x'] }],
    ])
  })

  test('a zip file: each part brings the pictures that it names, and those alone', async () => {
    const zip = zipSync({
      'shop/list.csv': strToU8(
        'id,image,more\n1,Red.jpg,\n2,img/blue.jpg,red.jpg|img/green.jpg\n3,none.jpg,\n',
      ),
      'shop/red.jpg': strToU8('red'),
      'shop/img/blue.jpg': strToU8('blue'),
      'shop/img/green.jpg': strToU8('green'),
      'shop/unused.jpg': strToU8('unused'),
    })
    const found = await split(zip, 'a.zip', { records: 1 })
    expect(found.parts.map(({ pictures }) => pictures)).toEqual([
      ['shop/red.jpg'],
      ['shop/img/blue.jpg', 'shop/img/green.jpg', 'shop/red.jpg'],
      [],
    ])
    expectSame(found)
  })

  test('pictures count towards the size of a part; one that is too large goes as its size alone', async () => {
    const big = new Uint8Array(LIMITS.pictureBytesMax + 5)
    const zip = zipSync({
      'list.csv': strToU8('id,image\n1,a.jpg\n2,b.jpg\n3,c.jpg\n'),
      'a.jpg': new Uint8Array(600),
      'b.jpg': new Uint8Array(600),
      'c.jpg': big,
    })
    const opened = await openFile(zip, 'a.zip')
    const meter = createMeter(opened.open)
    const source = { ...opened, table: await openTable(meter.open, 'csv') }
    const parts = await planParts(source, meter, { records: 10, bytes: 1_000 }, () => {})
    expect(parts.map(({ pictures }) => pictures.map(({ path }) => path))).toEqual([
      ['a.jpg'],
      ['b.jpg', 'c.jpg'],
    ])
    const writer = createPartWriter(source, parts[0] as Part)
    const path = join(folder, 'part')
    for (const part of parts) await writer.write(part, path)
    expect(Bun.file(path).size).toBeLessThan(50_000)
    const part = await openZip(path, { entriesMax: 10, bytesMax: 1e9 })
    expect(part.entries.get('c.jpg')?.bytes).toBe(LIMITS.pictureBytesMax + 1)
    const [bytes] = await Array.fromAsync(part.entries.get('b.jpg')?.open() ?? [])
    expect(bytes).toEqual(Buffer.alloc(600))
    part.close()
    await writer.close()
    source.close()
  })
})

describe('folders', () => {
  const put = (path: string, content = 'x') => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const open = (limits = {}) => openFolder(folder, { entriesMax: 100, depthMax: 5, ...limits })

  test('lists files in one order, and follows no link', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'lookalike-outside-'))
    writeFileSync(join(outside, 'secret.jpg'), 'secret')
    for (const path of ['b/two.jpg', 'a.jpg', '.hidden/x.jpg', '.DS_Store']) put(path)
    symlinkSync(join(outside, 'secret.jpg'), join(folder, 'link.jpg'))
    symlinkSync(outside, join(folder, 'linked'))
    const found = await open()
    expect([[...found.entries.keys()], found.skipped]).toEqual([['a.jpg', 'b/two.jpg'], 2])
    rmSync(outside, { recursive: true })
  })

  test('reads nothing that has become a link, or changed, since it was listed', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'lookalike-outside-'))
    writeFileSync(join(outside, 'two.jpg'), 'y')
    for (const path of ['b/two.jpg', 'a.jpg', 'c.jpg']) put(path)
    const { entries } = await open()
    rmSync(join(folder, 'b'), { recursive: true })
    symlinkSync(outside, join(folder, 'b'))
    rmSync(join(folder, 'a.jpg'))
    symlinkSync(join(outside, 'two.jpg'), join(folder, 'a.jpg'))
    put('c.jpg', 'longer')
    for (const path of ['b/two.jpg', 'a.jpg', 'c.jpg']) {
      expect(Array.fromAsync(entries.get(path)?.open() ?? [])).rejects.toThrow()
    }
    rmSync(outside, { recursive: true })
  })

  test('has limits', async () => {
    for (const path of ['a/b/c.jpg', 'd.jpg']) put(path)
    expect(open({ entriesMax: 1 })).rejects.toThrow('more than 1 files')
    expect(open({ depthMax: 1 })).rejects.toThrow('more than 1 deep')
  })

  test('pictures alone become products', async () => {
    const paths = [
      'Red_mug-2.JPG',
      'bulk.png',
      'caps/blue cap.webp',
      'caps/x.jpg',
      'hats/x.jpg',
      'hats/x.png',
      'läuft: 1.gif',
      'notes.txt',
      '☃.jpg',
    ]
    const [bytes] = await Array.fromAsync(makePictureTable(paths).open()).then((all) => [Buffer.concat(all)])
    const lines = (bytes?.toString() ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toEqual([
      { product_id: 'Red_mug-2', image_url: './Red_mug-2.JPG', metadata: { name: 'Red mug 2' } },
      { product_id: 'picture-bulk', image_url: './bulk.png', metadata: { name: 'bulk' } },
      {
        product_id: 'blue-cap',
        image_url: './caps/blue cap.webp',
        metadata: { name: 'blue cap', category: 'caps' },
      },
      { product_id: 'caps-x', image_url: './caps/x.jpg', metadata: { name: 'x', category: 'caps' } },
      { product_id: 'hats-x', image_url: './hats/x.jpg', metadata: { name: 'x', category: 'hats' } },
      { product_id: 'hats-x-2', image_url: './hats/x.png', metadata: { name: 'x', category: 'hats' } },
      { product_id: 'läuft-1', image_url: './läuft: 1.gif', metadata: { name: 'läuft: 1' } },
      { product_id: 'picture', image_url: './☃.jpg', metadata: { name: '☃' } },
    ])
    expect(makePictureTable(paths).bytes).toBe(bytes?.length ?? 0)
  })
})
