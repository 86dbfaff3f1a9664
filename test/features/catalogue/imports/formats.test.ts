import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isGzip, unpackGzip } from '../../../../src/core/gzip.ts'
import type { OpenBytes } from '../../../../src/core/open-bytes.ts'
import { UnreadableFile } from '../../../../src/core/unreadable-file.ts'
import {
  guessDelimiter,
  readCsv,
  readHeader,
} from '../../../../src/features/catalogue/imports/formats/csv.ts'
import { decodeText, detectEncoding } from '../../../../src/features/catalogue/imports/formats/encoding.ts'
import { readNdjson } from '../../../../src/features/catalogue/imports/formats/ndjson.ts'
import type { ImportRecord } from '../../../../src/features/catalogue/imports/formats/record.ts'
import { readXml } from '../../../../src/features/catalogue/imports/formats/xml.ts'

/** A file that comes in pieces of a few bytes, so that every boundary is somewhere in the middle. */
const pieces = (content: string | Uint8Array, size = 7): OpenBytes =>
  async function* () {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }

const collect = async <Value>(values: AsyncIterable<Value>): Promise<Value[]> => {
  const all: Value[] = []
  for await (const value of values) all.push(value)
  return all
}

const plain = (records: ImportRecord[]) =>
  records.map((record) =>
    'cells' in record ? { ...record, cells: Object.fromEntries(record.cells) } : record,
  )

const csv = async (content: string | Uint8Array, size?: number) => {
  const open = pieces(content, size)
  return plain(await collect(readCsv(open, { encoding: await detectEncoding(open) })))
}

const xml = async (content: string) => plain(await collect(readXml(decodeText(pieces(content)(), 'utf-8'))))

const rejection = async (work: Promise<unknown>): Promise<Error> => {
  try {
    await work
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

const utf16 = (text: string, isBigEndian: boolean): Uint8Array => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return isBigEndian ? bytes.swap16() : bytes
}

describe('encodings', () => {
  test.each([
    ['UTF-8', Buffer.from('name\nKäse €'), 'utf-8'],
    ['UTF-8 with a byte-order mark', Buffer.from('\uFEFFname\nKäse €'), 'utf-8'],
    ['UTF-16, little end first', utf16('name\nKäse €', false), 'utf-16le'],
    ['UTF-16, big end first', utf16('name\nKäse €', true), 'utf-16be'],
    [
      'windows-1252',
      Buffer.from([...Buffer.from('name\nK'), 0xe4, ...Buffer.from('se '), 0x80]),
      'windows-1252',
    ],
  ] as const)('%s is found and read', async (_name, bytes, encoding) => {
    const open = pieces(bytes, 1)
    expect(await detectEncoding(open)).toBe(encoding)
    expect((await collect(decodeText(open(), encoding))).join('')).toBe('name\nKäse €')
  })

  test('every kind of line end becomes the same, wherever the pieces are cut', async () => {
    for (const size of [1, 2, 3, 100]) {
      const text = (await collect(decodeText(pieces('a\r\nb\rc\nd\r', size)(), 'utf-8'))).join('')
      expect(text).toBe('a\nb\nc\nd\n')
    }
  })
})

describe('CSV', () => {
  test('quotes hold delimiters, quotes and line ends', async () => {
    expect(await csv('\uFEFF\n\nid;"na;me";price\r\n1;"a\nb ""q""";3\n\n2;x\n')).toEqual([
      { line: 4, cells: { id: ['1'], 'na;me': ['a\nb "q"'], price: ['3'] } },
      { line: 7, cells: { id: ['2'], 'na;me': ['x'] } },
    ])
  })

  test('a quote inside a cell without quotes is a character', async () => {
    expect(await csv('id,name\n1,5" pipe\n')).toEqual([{ line: 2, cells: { id: ['1'], name: ['5" pipe'] } }])
  })

  test('a row whose quote is never closed fails alone', async () => {
    const problem = expect.stringContaining('never closed')
    expect(await csv('id,name\n1,a\n2,"open\n3,c\n')).toEqual([
      { line: 2, cells: { id: ['1'], name: ['a'] } },
      { line: 3, problem },
      { line: 4, cells: { id: ['3'], name: ['c'] } },
    ])
  })

  test('a file full of such rows is given up', async () => {
    const failure = await rejection(csv(`id,name\n${'1,"open\n'.repeat(30)}`))
    expect(failure).toBeInstanceOf(UnreadableFile)
    expect(failure.message).toContain('Too many quotes')
  })

  test('a row with too many cells fails alone, and a short one is read', async () => {
    expect(await csv('id,name\n1,a,b\n2\n')).toEqual([
      { line: 2, problem: 'The row has 3 cells and the header 2' },
      { line: 3, cells: { id: ['2'] } },
    ])
  })

  test('a name that two columns share has both cells', async () => {
    expect(await csv('id,tag,tag\n1,a,b\n')).toEqual([{ line: 2, cells: { id: ['1'], tag: ['a', 'b'] } }])
  })

  test.each([
    ['a,b;c,d', ','],
    ['a;b;c', ';'],
    ['a\tb,c\td', '\t'],
    ['a|b', '|'],
    ['"a,b,c";d', ';'],
    ['alone', ','],
  ])('the header %j is split by %j', (header, delimiter) => {
    expect(guessDelimiter(header)).toBe(delimiter as ',')
  })

  test('1,000 columns are read, and 2,001 are refused', async () => {
    const header = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`).join(',')
    const { columns } = await readHeader(pieces(header(1000), 5000), { encoding: 'utf-8' })
    expect(columns).toHaveLength(1000)
    const failure = await rejection(readHeader(pieces(header(2001), 5000), { encoding: 'utf-8' }))
    expect(failure.message).toContain('2001 columns')
  })

  test.each(['', '\n\n', ' \n'])('a file without a header is refused: %j', async (content) => {
    expect((await rejection(csv(content))).message).toBe('The file has no header')
  })

  test('whatever is written by the rules is read back, however it is cut', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', ' ', '🙂', '='), maxLength: 6 })
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 })
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 20 }), async (rows, size) => {
        const content = `a,b\n${rows.map((row) => row.map(quote).join(',')).join('\n')}\n`
        const read = await csv(content, size)
        const filled = rows.filter((row) => row.some((each) => each.trim() !== ''))
        expect(read.map((record) => ('cells' in record ? record.cells : record))).toEqual(
          filled.map(([a, b]) => ({ a: [a], b: [b] })),
        )
      }),
      { numRuns: 60 },
    )
  })
})

describe('NDJSON', () => {
  test('each line is a product or a problem of its own', async () => {
    const text = decodeText(pieces('{"product_id":"1"}\r\n\n[1]\nnope\n"x"\n{"product_id":"2"}')(), 'utf-8')
    expect(await collect(readNdjson(text))).toEqual([
      { line: 1, product: { product_id: '1' } },
      { line: 3, problem: 'The line is not a JSON object' },
      { line: 4, problem: 'The line is not valid JSON' },
      { line: 5, problem: 'The line is not a JSON object' },
      { line: 6, product: { product_id: '2' } },
    ])
  })

  test.each([
    ['nests without an end', '['.repeat(100_000)],
    ['holds more values than any product', `{"metadata":{"a":[${'1,'.repeat(200_000)}1]}}`],
  ])('a line that %s is a problem of its own', async (_, hostile) => {
    const lines = `{"product_id":"a"}\n${hostile}\n{"product_id":"b"}`
    const records = await collect(readNdjson(decodeText(pieces(lines, 65_536)(), 'utf-8')))
    expect(records.map((record) => ('product' in record ? 'product' : 'problem'))).toEqual([
      'product',
      'problem',
      'product',
    ])
  })

  test('a long line with many characters is a product', async () => {
    const product = { product_id: 'a', metadata: { text: 'ä'.repeat(100_000) } }
    const records = await collect(readNdjson(decodeText(pieces(JSON.stringify(product), 65_536)(), 'utf-8')))
    expect(records).toEqual([{ line: 1, product }])
  })

  test('a line without an end is refused before it fills the memory', async () => {
    const endless = async function* () {
      for (;;) yield 'x'.repeat(1024 * 1024)
    }
    expect(await rejection(collect(readNdjson(endless())))).toBeInstanceOf(UnreadableFile)
  })
})

describe('XML', () => {
  test('items of RSS give cells without prefixes, nested ones with a point', async () => {
    const feed = `<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>
<item><g:id>A1</g:id><title><![CDATA[Shirt & <b>more</b>]]></title><g:image_link>https://x.example/a?b=1&amp;c=2</g:image_link>
<g:additional_image_link>https://x.example/b</g:additional_image_link><g:additional_image_link>https://x.example/c</g:additional_image_link>
<g:shipping><g:country>DE</g:country></g:shipping><g:empty/></item>
<item><g:id>A2</g:id></item></channel></rss>`
    expect(await xml(feed)).toEqual([
      {
        line: 3,
        cells: {
          id: ['A1'],
          title: ['Shirt & <b>more</b>'],
          image_link: ['https://x.example/a?b=1&c=2'],
          additional_image_link: ['https://x.example/b', 'https://x.example/c'],
          'shipping.country': ['DE'],
        },
      },
      { line: 6, cells: { id: ['A2'] } },
    ])
  })

  test('an element with more attributes than any feed has is refused', async () => {
    const attributes = Array.from({ length: 101 }, (_, n) => `a${n}="1"`).join(' ')
    const error = await rejection(
      xml(`<rss><channel><item><g:id ${attributes}>1</g:id></item></channel></rss>`),
    )
    expect(error).toBeInstanceOf(UnreadableFile)
    expect(error.message).toContain('more than 100 attributes')
  })

  test('entries of Atom give the address of their link', async () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><link href="https://x.example/1"/></entry></feed>`
    expect(await xml(feed)).toEqual([{ line: 1, cells: { id: ['1'], link: ['https://x.example/1'] } }])
  })

  test.each([
    [
      'entities that grow',
      '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><rss><item><id>&b;</id></item></rss>',
    ],
    ['an entity that names a file', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>'],
    ['an entity that nobody knows', '<rss><item><id>&nbsp;</id></item></rss>'],
    ['an end that is missing', '<rss><item><id>1</id>'],
    ['elements that overlap', '<rss><item><b><c></b></c></item></rss>'],
    ['too many levels', `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`],
    ['a product of more than 1 MiB', `<rss><item><id>${'x'.repeat(1_100_000)}</id></item></rss>`],
    ['a product of many empty elements', `<rss><item>${'<a/>'.repeat(70_000)}</item></rss>`],
    [
      'a product of long addresses',
      `<rss><item>${`<a href="${'x'.repeat(1_000)}"/>`.repeat(1_100)}</item></rss>`,
    ],
    ['no XML', 'product_id,image_url'],
    [
      'more than 2,000 different elements, over all products',
      `<rss>${[0, 1, 2]
        .map(
          (k) =>
            `<item>${Array.from({ length: 700 }, (_, n) => `<b${k}_${n}>1</b${k}_${n}>`).join('')}</item>`,
        )
        .join('')}</rss>`,
    ],
    ['an element with a long name', `<rss><item><${'n'.repeat(201)}>1</${'n'.repeat(201)}></item></rss>`],
  ])('%s: refused with the line', async (_name, content) => {
    const failure = await rejection(xml(content))
    expect(failure).toBeInstanceOf(UnreadableFile)
    expect(failure.message).toMatch(/^The XML cannot be read at line 1: /)
  })
})

test.each([
  ['a text', '<rss>', '</rss>'],
  ['a remark', '<rss><!--', '--></rss>'],
  ['an attribute', '<rss a="', '"/>'],
  ['an instruction', '<rss><?a ', '?></rss>'],
  ['a section', '<rss><![CDATA[', ']]></rss>'],
])('%s without end is not collected', async (_name, start, end) => {
  let sent = 0
  async function* endless() {
    yield start
    for (; sent < 100; sent++) yield 'x'.repeat(64 * 1024)
    yield end
  }
  const failure = await rejection(collect(readXml(endless())))
  expect(failure.message).toContain('longer than 1 MiB')
  expect(sent).toBeLessThan(20)
})

describe('gzip', () => {
  test('is unpacked while it is read, as often as it is opened', async () => {
    const packed = gzipSync('id,name\n1,a\n')
    expect(isGzip(packed)).toBe(true)
    const open = unpackGzip(pieces(packed), 1000)
    for (const _ of [1, 2]) {
      expect(Buffer.concat(await collect(open())).toString()).toBe('id,name\n1,a\n')
    }
  })

  test('a small file that grows without end stops at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    expect(bomb.length).toBeLessThan(30_000)
    let seen = 0
    const failure = await rejection(
      (async () => {
        for await (const chunk of unpackGzip(pieces(bomb, 1000), 1_000_000)()) seen += chunk.length
      })(),
    )
    expect(failure.message).toBe('The file unpacks to more than 1 MB')
    expect(seen).toBeLessThanOrEqual(1_000_000)
  })

  test.each([
    ['cut', gzipSync('hello hello hello').subarray(0, 20)],
    ['changed', Buffer.from(gzipSync('hello hello hello')).fill(0xff, 12, 16)],
  ])('a file that was %s is damaged', async (_name, bytes) => {
    const failure = await rejection(collect(unpackGzip(pieces(bytes), 1000)()))
    expect(failure).toBeInstanceOf(UnreadableFile)
    expect(failure.message).toBe('The gzip file is damaged')
  })
})
