/** Where a query picture comes from. */
export type Source =
  | { kind: 'file'; blob: Blob }
  | { kind: 'address'; url: string }
  | { kind: 'product'; id: string }

/** A part of a picture, in shares of its width and height. */
export interface Part {
  x: number
  y: number
  width: number
  height: number
}

export interface QueryPicture {
  source: Source
  /** The part that counts; null for the whole picture. */
  part: Part | null
}

/** What the page looks for. */
export interface Question {
  words: string
  pictures: readonly QueryPicture[]
}

/** `shoppers`: as a widget shows it. `everything`: all hits, to see where a cut would be. */
export type View = 'shoppers' | 'everything'
export const JOINS = ['apart', 'one'] as const
export const AGGREGATIONS = ['average', 'best', 'union'] as const

/** How the page looks for it. */
export interface Settings {
  view: View
  /** Whether a list that shows everything ends where the likeness drops. Shoppers' lists always do. */
  cuts: boolean
  secondLook: boolean
  /** Whether prices, “without”, colours and foreign words are understood. */
  interprets: boolean
  /** Share of the picture beside the words. */
  weight: number
  /** Whether picture and words are scored apart or make one vector. */
  join: (typeof JOINS)[number]
  /** How several pictures count together. */
  aggregation: (typeof AGGREGATIONS)[number]
  colors: readonly string[]
  category: string
  priceMin: string
  priceMax: string
  /** Values of further fields, by the name of the field. */
  values: Readonly<Record<string, string>>
  threshold: number
}

const DEFAULTS: Settings = {
  view: 'shoppers',
  cuts: false,
  secondLook: true,
  interprets: true,
  weight: 0.5,
  join: 'apart',
  aggregation: 'average',
  colors: [],
  category: '',
  priceMin: '',
  priceMax: '',
  values: {},
  threshold: 0,
}

export const COLORS_MAX = 5
export const PICTURES_MAX = 10

const pick = <Value extends string>(values: readonly Value[], value: string | null): Value =>
  values.find((one) => one === value) ?? (values[0] as Value)

/** Reads a number of the address that lies between 0 and 1. */
function readShare(text: string | null, missing: number): number {
  const value = Number(text)
  return text !== null && text !== '' && value >= 0 && value <= 1 ? value : missing
}

const readPart = (text: string | null): Part | null => {
  const numbers = (text ?? '').split(',').map(Number)
  const [x = 0, y = 0, width = 0, height = 0] = numbers
  const isPart = numbers.length === 4 && numbers.every((n) => n >= 0 && n <= 1) && width > 0 && height > 0
  return isPart ? { x, y, width, height } : null
}

/** Fields of the store stand in the address with this in front, so that none is taken for a setting. */
const FIELD = 'is.'

export function readSettings(query: URLSearchParams): Settings {
  const values = [...query].filter(([name, value]) => name.startsWith(FIELD) && value !== '')
  return {
    view: pick(['shoppers', 'everything'], query.get('view')),
    cuts: query.get('cut') === 'auto',
    secondLook: query.get('second_look') !== 'off',
    interprets: query.get('interpret') !== 'off',
    weight: readShare(query.get('weight'), DEFAULTS.weight),
    join: pick(JOINS, query.get('join')),
    aggregation: pick(AGGREGATIONS, query.get('together')),
    colors: query
      .getAll('color')
      .filter((color) => /^#[0-9a-f]{6}$/.test(color))
      .slice(0, COLORS_MAX),
    category: query.get('category') ?? '',
    priceMin: query.get('price_min') ?? '',
    priceMax: query.get('price_max') ?? '',
    values: Object.fromEntries(values.map(([name, value]) => [name.slice(FIELD.length), value])),
    threshold: readShare(query.get('min'), 0),
  }
}

/** Writes what differs from the defaults. */
export function writeSettings(settings: Settings, query = new URLSearchParams()): URLSearchParams {
  const set = (name: string, value: string, missing: string) => value !== missing && query.set(name, value)
  set('view', settings.view, 'shoppers')
  set('cut', settings.cuts ? 'auto' : '', '')
  set('second_look', settings.secondLook ? '' : 'off', '')
  set('interpret', settings.interprets ? '' : 'off', '')
  set('weight', String(settings.weight), String(DEFAULTS.weight))
  set('join', settings.join, DEFAULTS.join)
  set('together', settings.aggregation, DEFAULTS.aggregation)
  for (const color of settings.colors) query.append('color', color)
  set('category', settings.category, '')
  set('price_min', settings.priceMin, '')
  set('price_max', settings.priceMax, '')
  for (const [name, value] of Object.entries(settings.values)) set(FIELD + name, value, '')
  set('min', String(settings.threshold), '0')
  return query
}

/** Reads words, products and addresses of pictures. */
export function readQuestion(query: URLSearchParams): Question {
  const sources: Source[] = [
    ...query.getAll('product').map((id): Source => ({ kind: 'product', id })),
    ...query.getAll('image').map((url): Source => ({ kind: 'address', url })),
  ].slice(0, PICTURES_MAX)
  const part = readPart(query.get('part'))
  return {
    words: query.get('q') ?? '',
    pictures: sources.map((source, n) => ({ source, part: n === 0 ? part : null })),
  }
}

/** Writes what an address can hold. A photo stays in the browser. */
export function writeQuestion({ words, pictures }: Question, query = new URLSearchParams()): URLSearchParams {
  if (words !== '') query.set('q', words)
  for (const { source } of pictures) {
    if (source.kind === 'product') query.append('product', source.id)
    if (source.kind === 'address') query.append('image', source.url)
  }
  const [first] = pictures
  if (first?.part && first.source.kind !== 'file') {
    const { x, y, width, height } = first.part
    query.set('part', [x, y, width, height].map((n) => Math.round(n * 1000) / 1000).join(','))
  }
  return query
}

export const hasFilters = ({ category, priceMin, priceMax, values }: Settings): boolean =>
  category !== '' || priceMin !== '' || priceMax !== '' || Object.values(values).some((value) => value !== '')

/** Whether there is nothing to look for yet. */
export const isEmpty = ({ words, pictures }: Question, settings: Settings): boolean =>
  words.trim() === '' && pictures.length === 0 && settings.colors.length === 0 && !hasFilters(settings)
