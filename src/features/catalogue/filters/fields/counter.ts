import { LIMITS } from '../../../../core/limits.ts'
import { fold } from '../../../../core/text.ts'
import type { StoreField } from './schema.ts'

/** Fields of one store that are counted, of which the answer shows the first. */
const COUNTED_FIELDS_MAX = 1_000
const SHOWN_FIELDS_MAX = 200
/** Different values that are counted: of one field, and of all together. */
const VALUES_MAX = 2_000
const ALL_VALUES_MAX = 50_000
/** How often the values of a field occur on average at least, once they are too many. */
const REPEATED = 3
/** A longer text is no value that anyone would choose from a list. */
const VALUE_CHARS_MAX = 100
const DEPTH_MAX = 5
const NAME_CHARS_MAX = 100
/** Elements of one list that are counted. */
const ELEMENTS_MAX = 200
const SHORT_LIST = 8

type Value = string | number | boolean
type Type = StoreField['type']

/** Counted in place: a second look into the map would take as long as the first. */
interface Count {
  products: number
}

/** The fields of an object by their keys. */
type Level = Map<string, Field>

interface Field {
  type: Type | undefined
  products: number
  min: number
  max: number
  values: Map<Value, Count>
  hasAllValues: boolean
  /** Whether its values hardly repeat. */
  isDiverse: boolean
  /** Where its values are objects: nested keys are found without writing out their names. */
  parts: Level
}

/** Counts the fields of many products and their values, within bounds. */
export function createFieldCounter() {
  /** By their names. */
  const fields: Level = new Map()
  const top: Level = new Map()
  let hasAllFields = true
  let products = 0
  let values = 0

  function addField(level: Level, key: string, before: string): Field | undefined {
    const name = before + key
    // A key with a dot has the name of a nested one.
    const known = fields.get(name)
    if (known) {
      level.set(key, known)
      return known
    }
    if (fields.size === COUNTED_FIELDS_MAX || name.length > NAME_CHARS_MAX) {
      hasAllFields = false
      return undefined
    }
    const field: Field = {
      ...{ type: undefined, products: 0, min: Infinity, max: -Infinity },
      ...{ values: new Map(), hasAllValues: true, isDiverse: false, parts: new Map() },
    }
    fields.set(name, field)
    level.set(key, field)
    return field
  }

  function countValue(field: Field, value: unknown): void {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return
    if (typeof value === 'number') {
      if (value < field.min) field.min = value
      if (value > field.max) field.max = value
    }
    if (field.isDiverse || (typeof value === 'string' && value.length > VALUE_CHARS_MAX)) {
      field.hasAllValues = false
      return
    }
    const count = field.values.get(value)
    if (count) count.products++
    else if (field.values.size < VALUES_MAX && values < ALL_VALUES_MAX) {
      field.values.set(value, { products: 1 })
      values++
    } else leaveOut(field)
  }

  /** Nobody chooses from values that hardly repeat, such as names and addresses: they are not counted any longer. */
  function leaveOut(field: Field): void {
    field.hasAllValues = false
    if (field.products > REPEATED * field.values.size) return
    values -= field.values.size
    field.values.clear()
    field.isDiverse = true
  }

  function countList(field: Field, list: readonly unknown[]): void {
    if (list.length > ELEMENTS_MAX) field.hasAllValues = false
    // A set costs more than most lists are long.
    if (list.length > SHORT_LIST)
      for (const value of new Set(list.slice(0, ELEMENTS_MAX))) countValue(field, value)
    else for (let n = 0; n < list.length; n++) if (list.indexOf(list[n]) === n) countValue(field, list[n])
  }

  function countObject(object: Record<string, unknown>, level: Level, before: string, depth: number): void {
    for (const key in object) {
      const value = object[key]
      if (value === null) continue
      const field = level.get(key) ?? addField(level, key, before)
      if (!field) continue
      field.products++
      const type = typeOf(value)
      if (field.type !== type) field.type = field.type === undefined ? type : 'mixed'
      if (type === 'list') countList(field, value as unknown[])
      else if (type !== 'object') countValue(field, value)
      else if (depth < DEPTH_MAX)
        countObject(value as Record<string, unknown>, field.parts, `${before}${key}.`, depth + 1)
    }
  }

  return {
    /** Counts the metadata of one product. */
    add(metadata: Record<string, unknown>): void {
      products++
      countObject(metadata, top, '', 1)
    },

    /** What was counted; each entry takes up to a millisecond to be written by {@link describeField}. */
    finish() {
      const sorted = [...fields].sort(
        ([a, { products: ofA }], [b, { products: ofB }]) => ofB - ofA || (a < b ? -1 : 1),
      )
      return {
        fields: sorted.slice(0, SHOWN_FIELDS_MAX),
        hasAllFields: hasAllFields && sorted.length <= SHOWN_FIELDS_MAX,
        products,
      }
    },
  }
}

function typeOf(value: unknown): Type {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return Array.isArray(value) ? 'list' : 'object'
}

/** Writes a field out. Texts that differ in case and accents only are one value, shown in its most frequent spelling. */
export function describeField([name, field]: [string, Field]): StoreField {
  const merged = new Map<Value, { value: Value; most: number; count: number }>()
  for (const [value, { products: count }] of field.values) {
    const key = typeof value === 'string' ? `"${fold(value)}` : value
    const known = merged.get(key)
    if (!known) merged.set(key, { value, most: count, count })
    else {
      known.count += count
      if (count > known.most) [known.value, known.most] = [value, count]
    }
  }
  merged.delete('"')
  const values = [...merged.values()]
    .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
    .slice(0, LIMITS.facetValuesShown)
    .map(({ value, count }) => ({ value, count }))
  return {
    field: name,
    type: field.type ?? 'mixed',
    products: field.products,
    min: field.min <= field.max ? field.min : null,
    max: field.min <= field.max ? field.max : null,
    values,
    has_all_values: field.hasAllValues,
  }
}
