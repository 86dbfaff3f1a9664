import { afterAll, expect, test } from 'bun:test'
import type { ImportRecord } from '../../src/features/catalogue/imports/formats/record.ts'
import { assembleProducts } from '../../src/features/catalogue/imports/mapping/assemble.ts'
import { noLosses } from '../../src/features/catalogue/imports/mapping/losses.ts'
import { planImport } from '../../src/features/catalogue/imports/mapping/plan.ts'
import { recordBar } from './bars.ts'

/** Four times as much may take six times as long: linear, with room for what a machine does besides. */
const RATIO_MAX = 6
/** Less cannot be told from noise, and is no danger to anybody. */
const NOISE_MS = 15

type Row = Record<string, string>

/** CPU of reading a table, in milliseconds: the least of some tries. */
async function readCpu(rows: readonly Row[]): Promise<number> {
  const columns = Object.keys(rows[0] ?? {})
  const records: ImportRecord[] = rows.map((row, n) => ({
    ...{ line: n + 2, cells: new Map(Object.entries(row).map(([column, cell]) => [column, [cell]])) },
  }))
  let least = Infinity
  for (let n = 0; n < 5; n++) {
    const before = process.cpuUsage()
    const sample = records.slice(0, 50).flatMap((record) => ('cells' in record ? [record.cells] : []))
    const plan = planImport(columns, {}, { rows: sample, isPicture: () => false })
    const open = async function* () {
      yield* records
    }
    for await (const _ of assembleProducts(open, plan, { losses: noLosses(), now: 0 }));
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

let worst = 0
let compared = 0
let nonlinear = 0
afterAll(() => {
  const measured = `four times as many cells of an import take ${worst.toFixed(1)} times the CPU at most (bound ${RATIO_MAX})`
  if (compared > 0) {
    recordBar({ bar: 34, part: 'imports', on: 'process', n: compared, measured, isMet: nonlinear === 0 })
  }
})

async function expectLinear(make: (size: number) => Row[], size: number): Promise<void> {
  const [small, large] = [make(size), make(4 * size)]
  await readCpu(small)
  for (let n = 0; ; n++) {
    const [little, much] = [await readCpu(small), await readCpu(large)]
    const isLinear = much <= Math.max(NOISE_MS, RATIO_MAX * little)
    if (!isLinear && n < 4) continue
    compared++
    if (much > NOISE_MS) worst = Math.max(worst, much / little)
    if (isLinear) return
    nonlinear++
    expect(much / little).toBeLessThanOrEqual(RATIO_MAX)
  }
}

const SHOPIFY = { Handle: 'a', Title: 'A', 'Image Src': 'https://x.example/a.jpg', 'Variant Price': '5' }
const WOO = {
  ID: '1',
  Type: 'simple',
  SKU: 'A',
  Published: '1',
  Images: 'https://x.example/a.jpg',
  'Regular price': '5',
}

/** Pieces of text that some reader looks for, over and over. */
const PIECES = [
  ...[
    ' ',
    ',',
    '>',
    ' > ',
    ' / ',
    '/',
    '|',
    ';',
    '=',
    '-',
    '.',
    '1',
    '1,',
    '&',
    '&amp;',
    '&#1',
    '<',
    '<a',
    '<style',
  ],
  ...[
    '<script>',
    '[',
    '[a',
    '[a ',
    '\\',
    '\\,',
    '\\n',
    '(',
    '"',
    'http://',
    'https://a/p/',
    'sku=a,',
    'sku=a|',
    'é',
  ],
]
const FIELDS = [
  'Name',
  'Description',
  'Categories',
  'Brands',
  'Tags',
  'Images',
  'Regular price',
  'Sale price',
  'Parent',
] as const

test('one cell with runs of what the readers look for', async () => {
  for (const piece of PIECES) {
    const fill = (chars: number) => `a${piece.repeat(chars / piece.length)}x`
    await expectLinear((chars) => {
      const cells = Object.fromEntries(FIELDS.map((field) => [field, fill(chars)]))
      return [{ ...WOO, ...cells, 'Attribute 1 name': 'Color', 'Attribute 1 value(s)': fill(chars) }]
    }, 64 * 1024)
  }
}, 120_000)

test('rows: variants of one product, variations of one parent and of many, variations that Magento lists', async () => {
  const count = (size: number) => Array.from({ length: size }, (_, n) => n)
  await expectLinear(
    (size) =>
      count(size).map((n) => ({
        ...SHOPIFY,
        'Option1 Name': 'Color',
        'Option1 Value': `c${n}`,
        'Variant SKU': `S${n}`,
      })),
    900,
  )
  const woo = (n: number, parent: string) => ({
    ...WOO,
    ID: `${n}`,
    SKU: `V${n}`,
    Type: 'variation',
    Parent: parent,
  })
  await expectLinear(
    (size) => [{ ...WOO, Type: 'variable', Parent: '' }, ...count(size).map((n) => woo(n, 'A'))],
    2_000,
  )
  await expectLinear(
    (size) =>
      count(size).flatMap((n) => [
        woo(n, `P${n}`),
        { ...WOO, ID: '', SKU: `P${n}`, Type: 'variable', Parent: '' },
      ]),
    2_000,
  )
  const magento = {
    sku: '',
    base_image: 'https://x.example/a.jpg',
    visibility: '',
    price: '5',
    configurable_variations: '',
  }
  await expectLinear(
    (size) =>
      count(size).flatMap((n) => [
        { ...magento, sku: `C${n}`, visibility: 'Not Visible Individually' },
        {
          ...magento,
          sku: `P${n}`,
          configurable_variations: count(20)
            .map((k) => `sku=C${n - k},color=c${k}`)
            .join('|'),
        },
      ]),
    1_000,
  )
}, 120_000)

test('columns', async () => {
  const columns = (size: number) => Array.from({ length: size }, (_, n) => n)
  for (const name of ['c', 'Attribute 0 name ', 'image', 'https://', 'Meta: _'])
    await expectLinear(
      (size) => [
        {
          ...WOO,
          ...Object.fromEntries(columns(size).map((n) => [`${name}${n}`, 'https://x.example/a.jpg'])),
        },
      ],
      500,
    )
  await expectLinear((size) => {
    const pairs = columns(size).flatMap((n) => [
      [`Attribute ${n} name`, 'x'],
      [`Attribute ${n} value(s)`, 'y'],
    ])
    return [1, 2, 3, 4].map(() => ({ ...WOO, ...Object.fromEntries(pairs) }))
  }, 240)
}, 120_000)
