import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { removeTags } from '../../src/core/html-text.ts'
import {
  readNumber,
  readPrice,
  readStock,
  splitAddresses,
  splitList,
} from '../../src/features/catalogue/imports/mapping/values.ts'
import { testApp } from '../support/app.ts'
import { recordBar } from './bars.ts'
import { type Expression, findExpressions, listCharacters } from './expressions.ts'
import { createComparison } from './linear-cost.ts'

const SRC = join(import.meta.dir, '../../src')
/** The bar asks for 1 MiB. What costs its square shows at a sixteenth of it, too: it takes seconds there. */
const CHARS = Number(process.env['EXPRESSION_CHARS'] ?? 64 * 1024)
const WARM_CHARS = 4 * 1024
/** Up to here nobody is held up, however the time grows. */
const LIMIT_MS = 20
/** Four times as much may take six times as long, as in `linear-cost.ts`, and twice as much three times. */
const RATIO_MAX = 6
const DOUBLE_RATIO_MAX = 3
/** What stands around a run: it may fill the text, or break off before its end. */
const FRAMES = [
  ['', ''],
  ['a', '\u0001'],
  ['', '!'],
] as const

const comparison = createComparison(3)
afterAll(() => comparison.record({ bar: 48, part: 'readers of cells' }))

/**
 * Milliseconds of CPU for the use of an expression on a text; the least of some tries if it seems too long. A machine that does much
 * else takes the time of a clock, and not that of this process.
 */
function time(expression: RegExp, text: string): number {
  let least = Infinity
  for (let n = 0; n < 5 && least > LIMIT_MS; n++) {
    expression.lastIndex = 0
    const before = process.cpuUsage()
    if (expression.global) text.replace(expression, '')
    else expression.test(text)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

/** @returns also the length to which a schema has cut a text before its pattern looks at it. */
async function listExpressions(): Promise<(Expression & { charsMax?: number })[]> {
  const found = new Map<string, Expression & { charsMax?: number }>()
  const note = (expression: Expression & { charsMax?: number }) =>
    found.set(`/${expression.source}/${expression.flags}`, expression)
  for (const path of new Bun.Glob('**/*.ts').scanSync(SRC)) {
    if (path.endsWith('.d.ts') || path.includes('/kernel/')) continue
    for (const expression of findExpressions(path, await Bun.file(join(SRC, path)).text())) note(expression)
  }
  // Patterns of schemas are strings: those of bodies and parameters stand in the API's document.
  const app = testApp()
  const { body } = await app.call('GET', '/openapi.json')
  JSON.stringify(body, (_, value) => {
    const { pattern: source, maxLength: charsMax } = (value ?? {}) as { pattern?: string; maxLength?: number }
    if (typeof source === 'string')
      note({ source, flags: '', path: 'openapi.json', ...(charsMax && { charsMax }) })
    return value
  })
  await app.close()
  return [...found.values()]
}

test('every expression of the sources takes a long run of what it names in a time that grows with the run', async () => {
  const expressions = await listExpressions()
  expect(expressions.length).toBeGreaterThan(150)
  const slow: string[] = []
  let worst = 0
  for (const { path, source, flags, charsMax = CHARS } of expressions) {
    const expression = new RegExp(source, flags.replace('y', ''))
    const isSlow = listCharacters({ path, source, flags }).some((char) =>
      FRAMES.some(([head, tail]) => {
        const chars = Math.min(CHARS, charsMax)
        const take = (count: number) => time(expression, head + char.repeat(count) + tail)
        // The small one shows in a moment what would take minutes in the large one.
        const isHopeless = take(Math.min(WARM_CHARS, chars)) > LIMIT_MS
        const ms = isHopeless ? LIMIT_MS + 1 : take(chars)
        worst = Math.max(worst, ms)
        // A step on the way, where the engine goes on without its compiler, is not yet a growth.
        const grows = () => ms > RATIO_MAX * take(chars / 4) && ms > DOUBLE_RATIO_MAX * take(chars / 2)
        return isHopeless || (ms > LIMIT_MS && grows())
      }),
    )
    if (isSlow) slow.push(`${path}: /${source}/${flags}`)
  }
  const measured = `${expressions.length} expressions, runs of ${CHARS} characters: ${worst.toFixed(1)} ms at most, ${slow.length} of them not in proportion`
  recordBar({ bar: 48, part: 'characters', on: 'process', n: CHARS, measured, isMet: slow.length === 0 })
  expect(slow).toEqual([])
}, 600_000)

test('the finder sees expressions wherever they stand, and nothing else', () => {
  const open = '$' + '{'
  const source = [
    'const a = b / c / d // e',
    `const f = /x[/"]+/gi.test(\`${open}g / 2} /no/ ${open}h.replace(/\\/y/, "/n/")}\`)`,
    'function k() { return /z`/u }',
    'const m = (1 + 2) / 3 / 4',
    'const n = { o: /p{2}/ }',
    'export { a, f, k, m, n }',
  ].join('\n')
  const found = findExpressions('x.ts', source).map(({ source, flags }) => `/${source}/${flags}`)
  expect(found).toEqual(['/x[/"]+/gi', '/\\/y/', '/z`/u', '/p{2}/'])
  const characters = listCharacters({ path: 'x.ts', source: '[a-c]\\s*\\.(?=d)\\u0041', flags: '' })
  expect(characters.toSorted()).toEqual(['\t', '\n', ' ', '-', '.', 'A', 'a', 'c', 'd'])
})

/** What the readers of cells tell apart. */
const CHARACTERS = [
  ' ',
  '\t',
  '\n',
  ',',
  '|',
  ';',
  '>',
  '<',
  '/',
  '\\',
  ':',
  '.',
  '-',
  '+',
  '1',
  'a',
  'A',
  "'",
  '€',
  '&',
]
const READERS: Record<string, (cell: string) => unknown> = {
  removeTags,
  readNumber,
  readPrice,
  readStock,
  splitAddresses,
  splitList,
}
test.each(Object.entries(READERS))(
  'a cell that is one long run: %s',
  async (_, reader) => {
    const work = (chars: number) => {
      const cells = CHARACTERS.flatMap((char) => [
        `x${char.repeat(chars)}y`,
        `http://x.example/a${char.repeat(chars)} b`,
        `<a ${`${char}a`.repeat(chars / 2)}`,
      ])
      return () => {
        for (const cell of cells) reader(cell)
      }
    }
    await comparison.expectLinear(work, 4 * 1024)
    await comparison.expectLinear(work, 64 * 1024)
  },
  120_000,
)
