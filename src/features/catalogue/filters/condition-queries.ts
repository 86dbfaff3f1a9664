import { foldLevel } from '../../../core/category-path.ts'
import type { Condition, Node, Scalars, Test } from './filter.ts'

/** A condition on a row of `products` as SQL that is 0 or 1, never null, with the values of its parameters. */
export interface SqlCondition {
  sql: string
  values: Record<string, string | number | bigint>
}

/** Metadata keys of which `products` has folded copies. Their type is checked on the way in, so a copy is the whole value. */
const TEXT_COLUMNS: Readonly<Record<string, string>> = {
  category: 'category',
  brand: 'brand',
  color_name: 'color',
  name: 'name',
}

/** The field itself; the column `price` has what is paid. */
const PRICE = 'coalesce(regular_price, price)'

/** The SQL functions that this SQL calls; `queries.ts` registers them. */
export const SQL_FUNCTIONS = {
  fold: 'lookalike_fold',
  time: 'lookalike_time',
  near: 'lookalike_near',
} as const
const { fold, time, near } = SQL_FUNCTIONS

type Bind = (value: string | number | bigint) => string

/**
 * Writes a filter as SQL. Everything that a client sent is bound, also names of fields, as paths of JSON.
 *
 * Scalars are read with functions that share one parse of the metadata in a row; only lists are walked.
 */
export function toSql(root: Node): SqlCondition {
  const values: SqlCondition['values'] = {}
  let n = 0
  const bind: Bind = (value) => {
    const name = `v${n++}`
    values[name] = value
    return `@${name}`
  }
  return { sql: writeNode(root, bind), values }
}

function writeNode(node: Node, bind: Bind): string {
  if ('condition' in node) return writeCondition(node.condition, bind)
  if ('not' in node) return `NOT (${writeNode(node.not, bind)})`
  if ('all' in node) return join(node.all, ' AND ', '1', bind)
  if (node.min === 1) return join(node.some, ' OR ', '0', bind)
  return `(${join(node.some, ' + ', '0', bind)}) >= ${bind(node.min)}`
}

const join = (nodes: readonly Node[], operator: string, none: string, bind: Bind): string =>
  nodes.length === 0 ? none : nodes.map((node) => `(${writeNode(node, bind)})`).join(operator)

function writeCondition(condition: Condition, bind: Bind): string {
  if ('near' in condition) {
    const { hex, deltaE } = condition.near
    return `EXISTS (SELECT 1 FROM pictures WHERE product = products.id AND position = 0 AND ${near}(palette, ${bind(hex)}, ${bind(deltaE)}))`
  }
  const { field, test } = condition
  if (field.kind === 'own') return writeOwn(field.name, test, bind)
  return writeColumn(field.name, test, bind) ?? writeMetadata(field.name, test, bind)
}

/** The product's own fields are never missing. Ids are compared as they are. */
function writeOwn(column: string, test: Test, bind: Bind): string {
  switch (test.op) {
    case 'equals':
      if (column === 'is_demo') return isIn('is_demo', test.booleans.map(Number), bind)
      return isIn(column, test.texts, bind)
    case 'contains':
      return any(test.texts.map((text) => `instr(${column}, ${bind(text)}) > 0`))
    case 'containsAll':
      return every(test.texts.map((text) => `instr(${column}, ${bind(text)}) > 0`))
    case 'startsWith':
      return startsWith(column, bind(test.text))
    case 'range':
      return inRange(column, test, (value) => bind(BigInt(Math.trunc(value))))
    case 'exists':
      return '1'
    default:
      return '0'
  }
}

/** Undefined for what the copies cannot tell. */
function writeColumn(name: string, test: Test, bind: Bind): string | undefined {
  if (name === 'price') {
    if (test.op === 'equals') {
      if (test.numbers.length === 0) return '0'
      return known(`${PRICE} IN (${test.numbers.map((number) => bind(number)).join(', ')})`)
    }
    if (test.op === 'range') return test.of === 'number' ? known(inRange(PRICE, test, bind)) : '0'
    return undefined
  }
  const column = Object.hasOwn(TEXT_COLUMNS, name) ? TEXT_COLUMNS[name] : undefined
  if (column === undefined) return undefined
  switch (test.op) {
    case 'equals':
      if (column === 'category') return isCategory(test, bind)
      // A copy of a text without letters is null, like that of a missing one.
      return test.texts.includes('') ? undefined : known(isIn(column, test.texts, bind))
    case 'contains':
      return known(any(test.texts.map((text) => `instr(${column}, ${bind(text)}) > 0`)))
    case 'containsAll':
      if (test.numbers.length + test.booleans.length > 0) return '0'
      return known(every(test.texts.map((text) => `instr(${column}, ${bind(text)}) > 0`)))
    case 'startsWith':
      return known(startsWith(column, bind(test.text)))
    default:
      return undefined
  }
}

/** Whether a category has one of these names, or a level above it one of them as its name or path. */
function isCategory(test: { op: 'equals' } & Scalars, bind: Bind): string {
  const { texts } = test
  if (texts.length === 0) return '0'
  const isLevel = isIn('value', texts.map(foldLevel), bind)
  const isOwn = texts.includes('')
    ? writeMetadata('category', test, bind)
    : known(isIn('category', texts, bind))
  return `((${isOwn})
    OR (levels IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(levels) WHERE ${isLevel})))`
}

const known = (sql: string): string => `coalesce(${sql}, 0)`

/** A key that has the whole name, dots included, comes before the way through objects. */
function writeMetadata(name: string, test: Test, bind: Bind): string {
  const [first, second] = toPaths(name)
  if (first === undefined) return '0'
  const whole = bind(first)
  if (second === undefined) return writePath(whole, test, bind)
  return `CASE WHEN json_type(metadata, ${whole}) IS NOT NULL THEN ${writePath(whole, test, bind)}
    ELSE ${writePath(bind(second), test, bind)} END`
}

/** The JSON paths under which a field may stand, in their order. A label in quotes is read as a JSON string. */
export function toPaths(name: string): string[] {
  const keys = name.split('.')
  const toPath = (keys: string[]) => `$${keys.map((key) => `.${JSON.stringify(key)}`).join('')}`
  const isNested = keys.length > 1 && keys.every((key) => key !== '')
  return [toPath([name]), ...(isNested ? [toPath(keys)] : [])]
}

/** @param path the parameter with the path. */
function writePath(path: string, test: Test, bind: Bind): string {
  const type = `json_type(metadata, ${path})`
  const value = `json_extract(metadata, ${path})`
  const elements = `json_each(metadata, ${path})`
  const someElement = (condition: Cases) =>
    `EXISTS (SELECT 1 FROM ${elements} WHERE ${toCase('type', condition)})`
  switch (test.op) {
    case 'equals': {
      const scalars = (of: string) => equalCases(of, test, bind)
      return toCase(type, { ...scalars(value), array: someElement(scalars('atom')) })
    }
    case 'contains': {
      const text = any(test.texts.map((part) => `instr(${fold}(${value}), ${bind(part)}) > 0`))
      const scalars = (of: string) => equalCases(of, test, bind)
      return toCase(type, { ...scalars(value), text, array: someElement(scalars('atom')) })
    }
    case 'containsAll':
      return toCase(type, containsAllCases(value, elements, test, bind))
    case 'startsWith': {
      const scalars = (of: string) => ({ text: startsWith(`${fold}(${of})`, bind(test.text)) })
      return toCase(type, { ...scalars(value), array: someElement(scalars('atom')) })
    }
    case 'range': {
      const scalars = (of: string): Cases => {
        if (test.of === 'time') return { text: known(inRange(`${time}(${of})`, test, bind)) }
        const sql = inRange(of, test, (bound) => `json_extract(${bind(JSON.stringify(bound))}, '$')`)
        return { integer: sql, real: sql }
      }
      return toCase(type, { ...scalars(value), array: someElement(scalars('atom')) })
    }
    case 'exists':
      return known(`${type} <> 'null'`)
    case 'null':
      return known(`${type} = 'null'`)
    case 'empty':
      return known(`(metadata -> ${path}) IN ('""', '[]', '{}')`)
  }
}

/** Conditions by the type of a JSON value; for all other types the result is 0. */
type Cases = Record<string, string>

const toCase = (type: string, cases: Cases): string => {
  const written = Object.entries(cases).map(([name, sql]) => `WHEN '${name}' THEN ${sql}`)
  return written.length === 0 ? '0' : `CASE ${type} ${written.join(' ')} ELSE 0 END`
}

function equalCases(value: string, { texts, numbers, booleans }: Scalars, bind: Bind): Cases {
  const cases: Cases = {}
  if (texts.length > 0) cases['text'] = isIn(`${fold}(${value})`, texts, bind)
  if (numbers.length > 0) cases['integer'] = cases['real'] = isInJson(value, numbers, bind)
  if (booleans.includes(true)) cases['true'] = '1'
  if (booleans.includes(false)) cases['false'] = '1'
  return cases
}

function containsAllCases(
  value: string,
  elements: string,
  { texts, numbers, booleans }: Scalars,
  bind: Bind,
): Cases {
  const has = (condition: string) => `EXISTS (SELECT 1 FROM ${elements} WHERE ${condition})`
  const count = (types: string, of: string, list: string) =>
    `(SELECT count(DISTINCT ${of}) FROM ${elements} WHERE type IN (${types}) AND ${list})`
  const array = every([
    ...(texts.length > 0
      ? [`${count("'text'", `${fold}(atom)`, isIn(`${fold}(atom)`, texts, bind))} = ${bind(texts.length)}`]
      : []),
    ...(numbers.length > 0
      ? [`${count("'integer', 'real'", 'atom', isInJson('atom', numbers, bind))} = ${bind(numbers.length)}`]
      : []),
    ...booleans.map((wanted) => has(`type = '${wanted}'`)),
  ])
  const kinds = [texts, numbers, booleans].filter((list) => list.length > 0).length
  const cases: Cases = { array }
  if (kinds !== 1) return cases
  if (texts.length > 0)
    cases['text'] = every(texts.map((part) => `instr(${fold}(${value}), ${bind(part)}) > 0`))
  if (numbers.length === 1) cases['integer'] = cases['real'] = isInJson(value, numbers, bind)
  if (booleans.length === 1) cases[String(booleans[0])] = '1'
  return cases
}

function isIn(value: string, list: readonly (string | number)[], bind: Bind): string {
  if (list.length === 0) return '0'
  return list.length === 1 ? `${value} = ${bind(list[0] as string | number)}` : isInJson(value, list, bind)
}

/**
 * Numbers beside those of the metadata are read from JSON, too: SQLite's reading of a number with many digits may differ
 * from ours in the last one.
 */
function isInJson(value: string, list: readonly (string | number)[], bind: Bind): string {
  return list.length === 0 ? '0' : `${value} IN (SELECT value FROM json_each(${bind(JSON.stringify(list))}))`
}

const startsWith = (value: string, start: string): string =>
  `substr(${value}, 1, length(${start})) = ${start}`

function inRange(
  value: string,
  { min, max }: Extract<Test, { op: 'range' }>,
  bind: (bound: number) => string,
): string {
  return every([
    ...(min ? [`${value} ${min.isOpen ? '>' : '>='} ${bind(min.value)}`] : []),
    ...(max ? [`${value} ${max.isOpen ? '<' : '<='} ${bind(max.value)}`] : []),
  ])
}

const any = (parts: readonly string[]): string => (parts.length === 0 ? '0' : `(${parts.join(' OR ')})`)
const every = (parts: readonly string[]): string => (parts.length === 0 ? '1' : `(${parts.join(' AND ')})`)
