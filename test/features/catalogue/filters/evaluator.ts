import { fold } from '../../../../src/core/text.ts'

/** A product as the evaluator sees it. */
export interface Subject {
  productId: string
  metadata: Record<string, unknown>
  isDemo: boolean
  createdAt: number
}

interface Condition {
  field: string
  operator: string
  value?: unknown
}
type Node = Condition | { must?: Node[]; should?: Node[]; must_not?: Node[]; min_should?: number }

const MISSING = Symbol('missing')

/** Judges a product by a filter as it was sent, in the words of the contract and without SQL. */
export function passes(filter: Node | Node[], subject: Subject): boolean {
  if (Array.isArray(filter)) return filter.every((node) => passes(node, subject))
  if ('operator' in filter) return holds(filter, subject)
  const { must = [], should = [], must_not = [], min_should = 1 } = filter
  return (
    must.every((node) => passes(node, subject)) &&
    (should.length === 0 || should.filter((node) => passes(node, subject)).length >= min_should) &&
    !must_not.some((node) => passes(node, subject))
  )
}

const OPPOSITES: Record<string, string> = { ne: 'eq', neq: 'eq', nin: 'in', contains_none: 'contains_any' }

function holds({ field, operator, value }: Condition, subject: Subject): boolean {
  const opposite = OPPOSITES[operator]
  if (opposite) return !holds({ field, operator: opposite, value }, subject)
  const own = findOwn(field, subject)
  const isOwn = own !== MISSING
  const found = isOwn ? own : findMetadata(field.replace(/^metadata\.(?=.)/s, ''), subject.metadata)
  const isThere = found !== MISSING && found !== null
  if (operator === 'exists') return isThere === (value ?? true)
  if (operator === 'not_exists') return isThere !== (value ?? true)
  if (operator === 'is_null') return value === false ? isThere : found === null
  if (operator === 'is_empty') {
    const isEmpty = !isOwn && ['""', '[]', '{}'].includes(JSON.stringify(found === MISSING ? 0 : found))
    return value === false ? isThere && !isEmpty : isEmpty
  }
  const isCategory = /^(metadata\.)?category$/.test(field)
  const below = isCategory ? listBelow(subject.metadata['category_path']) : []
  const isBelow = (wanted: unknown) => typeof wanted === 'string' && below.includes(foldPath(wanted))
  if (operator === 'eq' && isBelow(value)) return true
  if (operator === 'in' && (value as unknown[]).some(isBelow)) return true
  if (!isThere) return false
  const elements = Array.isArray(found) ? found : [found]
  const key = (one: unknown) => (typeof one === 'string' && !isOwn ? `"${fold(one)}` : one)
  const equals = (wanted: unknown) =>
    elements.some((one) => typeof one !== 'object' && key(one) === key(wanted))
  const contains = (wanted: unknown) => {
    if (typeof found !== 'string' || typeof wanted !== 'string') return equals(wanted)
    return isOwn ? found.includes(wanted) : fold(found).includes(fold(wanted))
  }
  switch (operator) {
    case 'eq':
      return equals(value)
    case 'in':
      return (value as unknown[]).some(equals)
    case 'contains':
      return contains(value)
    case 'contains_any':
      return (value as unknown[]).some(contains)
    case 'contains_all':
      return (value as unknown[]).every(contains)
    case 'starts_with':
      return elements.some(
        (one) =>
          typeof one === 'string' &&
          (isOwn ? one.startsWith(String(value)) : fold(one).startsWith(fold(String(value)))),
      )
    case 'between':
      return elements.some((one) => {
        const [min, max] = value as unknown[]
        return (compare(one, min, isOwn) ?? Number.NaN) >= 0 && (compare(one, max, isOwn) ?? Number.NaN) <= 0
      })
    default:
      return elements.some((one) => {
        const order = compare(one, value, isOwn)
        if (order === undefined) return false
        return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator] as boolean
      })
  }
}

const foldPath = (path: string): string =>
  fold(path)
    .split('>')
    .map((part) => part.trim())
    .join(' > ')

/** The names and paths of all levels. */
function listBelow(paths: unknown): string[] {
  if (!Array.isArray(paths)) return []
  return paths
    .flatMap((path) => {
      const names = foldPath(String(path)).split(' > ')
      return names.flatMap((name, n) => [name, names.slice(0, n + 1).join(' > ')])
    })
    .filter((name) => name !== '')
}

function findOwn(field: string, { productId, isDemo, createdAt }: Subject): unknown {
  if (field === 'product_id') return productId
  if (field === 'is_demo') return isDemo
  return field === 'created_at' ? createdAt : MISSING
}

function findMetadata(name: string, metadata: Record<string, unknown>): unknown {
  if (Object.hasOwn(metadata, name)) return metadata[name]
  let found: unknown = metadata
  const keys = name.split('.')
  if (keys.includes('')) return MISSING
  for (const key of keys) {
    const isObject = typeof found === 'object' && found !== null && !Array.isArray(found)
    if (!isObject || !Object.hasOwn(found as object, key)) return MISSING
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

/** The order of a value and a bound; undefined where they cannot be compared. */
function compare(value: unknown, bound: unknown, isOwn: boolean): number | undefined {
  if (typeof bound === 'number') return typeof value === 'number' ? value - bound : undefined
  const at = isOwn ? Number(value) : typeof value === 'string' ? readDate(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at - readDate(String(bound))
}

const readDate = (text: string): number =>
  /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
