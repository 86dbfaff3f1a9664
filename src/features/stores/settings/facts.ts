import { isCurrency } from '../../../core/currencies.ts'
import { findNearest } from '../../../core/nearest.ts'
import { listPrivateNames } from '../../../core/private-keys.ts'
import type { Problem } from '../../../core/problem.ts'
import { type AddressTemplate, isTemplate, parseTemplate } from './address-template.ts'
import type { OwnSettings, SettingsPatch } from './schema.ts'

/** The facts of a store (contract 4.13): what holds for all its products and pages. */
export const FACTS = [
  'shop_url',
  'shop_system',
  'product_url_template',
  'currency',
  'locale',
  'time_zone',
] as const satisfies readonly (keyof OwnSettings)[]

type Fact = (typeof FACTS)[number]
export type Facts = Pick<OwnSettings, Fact>

export const NO_FACTS: Facts = {
  shop_url: null,
  shop_system: null,
  product_url_template: null,
  currency: null,
  locale: null,
  time_zone: 'UTC',
}

interface ReadFacts {
  /** Those that the patch names, in their one form. */
  facts: Partial<Facts>
  problems: Problem[]
}

/** Reads the facts that a patch names, and finds everything that is wrong with one alone. */
export function readFacts(patch: SettingsPatch): ReadFacts {
  const facts: Record<string, unknown> = {}
  const problems: Problem[] = []
  for (const name of FACTS) {
    const given = patch[name]
    if (given === undefined) continue
    const text = typeof given === 'string' ? given.trim() : ''
    const read = text === '' ? NO_FACTS[name] : READERS[name](text)
    if (typeof read === 'object' && read !== null) problems.push(factProblem(name, read.code, read.message))
    else facts[name] = read
  }
  return { facts, problems }
}

/** Finds what is wrong between settings that are fine alone, as they would be after a patch. */
export function findConflicts(settings: OwnSettings): Problem[] {
  const { shop_url, private_metadata } = settings
  const template = readTemplate(settings)
  if (!template) return []
  if (template.isPath && shop_url === null) {
    const message = 'must begin with https:// while the setting shop_url is empty; set shop_url, too'
    return [factProblem('product_url_template', 'shop_url', message)]
  }
  const names = listPrivateNames(private_metadata)
  const hidden = template.keys.find((key) => names.some((name) => name === key || key.startsWith(`${name}.`)))
  if (hidden === undefined) return []
  const message = `would show {${hidden}} in the addresses of results, but private_metadata keeps it from shoppers; take it out of one of the two`
  return [factProblem('product_url_template', 'private_key', message)]
}

/** The keys of products that the template of a store reads. */
export const listTemplateKeys = (facts: Partial<Facts>): string[] =>
  readTemplate(facts)?.keys.filter((key) => key !== 'product_id') ?? []

/** Refuses a template that could fill no address. @param meant a key that the products have instead. */
export const unknownKey = (key: string, meant: string | undefined): Problem =>
  factProblem(
    'product_url_template',
    'unknown_key',
    `has the placeholder {${key}}, but no product of the store has that key${meant === undefined ? '; {product_id} always works' : `; did you mean {${meant}}?`}`,
  )

function readTemplate({ product_url_template: text }: Partial<Facts>): AddressTemplate | undefined {
  const parsed = text ? parseTemplate(text) : undefined
  return parsed && isTemplate(parsed) ? parsed : undefined
}

type Read = string | { code: string; message: string }

const READERS: Readonly<Record<Fact, (text: string) => Read>> = {
  shop_url: readShopUrl,
  shop_system: (text) => text,
  product_url_template(text) {
    const parsed = parseTemplate(text)
    return isTemplate(parsed) ? text : parsed
  },
  currency(text) {
    const code = text.toUpperCase()
    return isCurrency(code) ? code : { code: 'currency', message: 'must be a code of ISO 4217 such as EUR' }
  },
  locale: readLocale,
  time_zone: readTimeZone,
}

function readShopUrl(text: string): Read {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (url && isPlain && !/[?#\\]/.test(text)) return url.href.replace(/(?<!\/)\/+$/, '')
  return {
    code: 'format',
    message:
      'must be the address of the shop, such as https://shop.example, without a user name and without ? and #',
  }
}

function readLocale(text: string): Read {
  try {
    const [locale] = Intl.getCanonicalLocales(text.replaceAll('_', '-'))
    if (locale !== undefined) return locale
  } catch {
    // Not the form of a locale.
  }
  return { code: 'locale', message: 'must be a language and, if you like, a country, such as de or de-AT' }
}

function readTimeZone(text: string): Read {
  const zones = Intl.supportedValuesOf('timeZone')
  const wanted = text.toLowerCase().replaceAll(' ', '_')
  if (wanted === 'utc') return 'UTC'
  const known = zones.find((zone) => zone.toLowerCase() === wanted)
  if (known !== undefined) return known
  // Links such as Europe/Kyiv work, too, but offsets such as +02:00 do not know summer time.
  if (/^[A-Za-z]+(\/[A-Za-z0-9_+-]+)+$/.test(text) && isTimeZone(text)) return text
  const near = findNearest(text, zones)
  const advice = near === undefined ? ', such as Europe/Berlin' : `; did you mean ${near}?`
  return { code: 'time_zone', message: `must be the name of a time zone of IANA${advice}` }
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const factProblem = (name: Fact, code: string, message: string): Problem => ({
  in: 'body',
  pointer: `/${name}`,
  code,
  message,
})
