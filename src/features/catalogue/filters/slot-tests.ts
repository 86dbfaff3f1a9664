import type { FieldColumns, TextColumn } from '../product-index/columns.ts'
import type { Condition, Node, Test } from './filter.ts'

/** Tests of some slots from `from` on: writes 1 for each that passes and 0 for each other. */
type SlotTest = (passes: Uint8Array, from: number) => void

/** Rows of the products that a condition names, for those that an index finds. */
export type FindNamed = (condition: Condition) => ReadonlySet<number> | undefined

const TEXT_COLUMNS: readonly string[] = ['category', 'brand', 'color_name'] satisfies TextColumn[]

const nothing: SlotTest = (passes) => void passes.fill(0)

/**
 * Makes a test of slots from a filter. It lets the same products pass as the SQL of the filter.
 *
 * @param columns those of this tick, in which the test must be used.
 * @returns undefined for a filter that asks for more than the columns have.
 */
export function makeSlotTest(root: Node, columns: FieldColumns, findNamed: FindNamed): SlotTest | undefined {
  if ('condition' in root) return testCondition(root.condition, columns, findNamed)
  if ('not' in root) {
    const test = makeSlotTest(root.not, columns, findNamed)
    return test && invert(test)
  }
  const tests: SlotTest[] = []
  for (const node of 'all' in root ? root.all : root.some) {
    const test = makeSlotTest(node, columns, findNamed)
    if (!test) return undefined
    tests.push(test)
  }
  return countPassed(tests, 'all' in root ? tests.length : root.min)
}

const invert =
  (test: SlotTest): SlotTest =>
  (passes, from) => {
    test(passes, from)
    for (let n = 0; n < passes.length; n++) passes[n] = 1 - (passes[n] as number)
  }

/** @param least how many of the tests a slot must pass; a filter has at most 100. */
function countPassed(tests: readonly SlotTest[], least: number): SlotTest {
  const [first, ...others] = tests
  if (!first) return (passes) => void passes.fill(1)
  if (others.length === 0) return first
  return (passes, from) => {
    first(passes, from)
    const one = new Uint8Array(passes.length)
    for (const test of others) {
      test(one, from)
      for (let n = 0; n < passes.length; n++) passes[n] = (passes[n] as number) + (one[n] as number)
    }
    for (let n = 0; n < passes.length; n++) passes[n] = (passes[n] as number) >= least ? 1 : 0
  }
}

function testCondition(
  condition: Condition,
  columns: FieldColumns,
  findNamed: FindNamed,
): SlotTest | undefined {
  if ('near' in condition) return undefined
  const { field, test } = condition
  const named = findNamed(condition)
  if (named) return testRows(columns.product, named)
  if (field.kind === 'own') return undefined
  if (field.name === 'price') return testPrice(columns.regularPrice, test)
  if (!TEXT_COLUMNS.includes(field.name) || test.op !== 'equals') return undefined
  return testTexts(columns, field.name as TextColumn, test.texts)
}

const testRows =
  (product: Float64Array, rows: ReadonlySet<number>): SlotTest =>
  (passes, from) => {
    for (let n = 0; n < passes.length; n++) passes[n] = rows.has(product[from + n] as number) ? 1 : 0
  }

function testPrice(price: Float64Array, test: Test): SlotTest | undefined {
  if (test.op === 'equals') {
    const wanted = new Set(test.numbers)
    return testEach((slot) => wanted.has(price[slot] ?? Number.NaN))
  }
  if (test.op !== 'range') return undefined
  if (test.of !== 'number') return nothing
  const { min, max } = test
  const least = min?.value ?? Number.NEGATIVE_INFINITY
  const most = max?.value ?? Number.POSITIVE_INFINITY
  const [isAbove, isBelow] = [min?.isOpen === true, max?.isOpen === true]
  return (passes, from) => {
    for (let n = 0; n < passes.length; n++) {
      // No comparison holds for NaN, which stands for no price.
      const value = price[from + n] ?? Number.NaN
      const holds = (isAbove ? value > least : value >= least) && (isBelow ? value < most : value <= most)
      passes[n] = holds ? 1 : 0
    }
  }
}

/** Undefined for a text without letters: columns cannot tell it from none. */
function testTexts(columns: FieldColumns, name: TextColumn, wanted: readonly string[]): SlotTest | undefined {
  if (wanted.includes('')) return undefined
  const { numbers, words } = columns[name]
  const known = new Set(wanted.flatMap((word) => words.findFolded(word) ?? []))
  const isBelow = name === 'category' ? columns.levels.testAny(wanted) : undefined
  if (known.size === 0 && !isBelow) return nothing
  if (known.size === 1 && !isBelow) {
    const [number] = known
    return (passes, from) => {
      for (let n = 0; n < passes.length; n++) passes[n] = numbers[from + n] === number ? 1 : 0
    }
  }
  return testEach((slot) => known.has(numbers[slot] as number) || isBelow?.(slot) === true)
}

const testEach =
  (passesSlot: (slot: number) => boolean): SlotTest =>
  (passes, from) => {
    for (let n = 0; n < passes.length; n++) passes[n] = passesSlot(from + n) ? 1 : 0
  }
