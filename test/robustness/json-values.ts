import fc from 'fast-check'

/** A schema of the published document. */
export interface JsonSchema {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  additionalProperties?: boolean | JsonSchema
  examples?: unknown[]
  $ref?: string
}

/** Text that has broken programs before. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udc00x',
    '\uffff',
    '\u202e',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '../../etc/passwd',
    '%00',
    '%2e%2e%2f',
    "' OR 1=1 --",
    '{{7*7}}',
    'null',
    'NaN',
    '-0',
    '1e308',
    'ﬃ ǅ ß İ',
    '👩‍👩‍👧‍👦',
    'é'.repeat(300),
    'a'.repeat(5_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
)

const nastyNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    1e308,
    -1e308,
    5e-324,
    2 ** 31,
    2 ** 53,
    2 ** 53 + 2,
    2 ** 63,
    2 ** 64,
    1e21,
    0.1,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
)

/** Any JSON value, with keys that JavaScript objects inherit. */
const anything: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    nastyText,
    nastyNumber,
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(nastyText, tie('value'), { maxKeys: 4 }),
  ),
})).value

/** Values that fit a schema, many of them at its edges. */
export function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return fittingObject(schema)
  if (type === 'array')
    return fc.array(fitting(schema.items ?? {}), { maxLength: Math.min(5, schema.maxItems ?? 5) })
  if (type === 'string') return fittingText(schema)
  if (type === 'integer' || type === 'number') return fittingNumber(schema, type)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  return anything
}

/** Values that fit a schema, values that nearly fit, and any others. */
export const around = (schema: JsonSchema): fc.Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: fitting(schema), weight: 6 },
    { arbitrary: bent(schema), weight: 3 },
    { arbitrary: anything, weight: 1 },
  )

function fittingObject({
  properties = {},
  required = [],
  additionalProperties,
}: JsonSchema): fc.Arbitrary<unknown> {
  const fields = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fitting(field)])),
    { requiredKeys: required.filter((name) => Object.hasOwn(properties, name)) },
  )
  if (!additionalProperties) return fields
  const further = fc.dictionary(nastyText, anything, { maxKeys: 3 })
  return fc.tuple(further, fields).map(([others, own]) => ({ ...others, ...own }))
}

/** An object with one wrong field, or another value in its place. */
function bent(schema: JsonSchema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {})
  if (names.length === 0) return anything
  return fc
    .tuple(fittingObject(schema), fc.constantFrom(...names), fc.option(anything, { nil: undefined }))
    .map(([object, name, value]) => ({ ...(object as object), [name]: value }))
}

const ID = fc.integer({ min: 0, max: 12 }).map((n) => `p${n}`)

function fittingText({
  format,
  pattern,
  minLength = 0,
  maxLength = 200,
  examples,
}: JsonSchema): fc.Arbitrary<string> {
  if (format === 'binary') return fc.constantFrom('picture:1', 'picture:2,3', 'no picture', '')
  if (format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString())
  if (examples?.includes('sku-1')) return fc.oneof(ID, fc.stringMatching(/^[ -.0-~¡-ÿ]{1,40}$/))
  if (examples?.some((example) => /^https?:/.test(String(example)))) return pictureAddress
  const edges = fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(Math.max(minLength, 1)))
  const free = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) })
  return fc.oneof(edges, pattern ? free.map((text) => `${text}1`) : free, fc.constantFrom('1', '2 3', 'p1'))
}

/** Addresses of the fake web, dead addresses, and forbidden ones. */
export const pictureAddress: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('https://img.test/1.jpg', 'https://img.test/2.jpg', 'https://img.test/none.jpg'),
  fc.constantFrom(
    'data:image/png;base64,cGljdHVyZTox',
    'data:,picture:3',
    'data:;base64,!!!!',
    'data:',
    '/pictures/unknown',
    'http://lookalike.test/pictures/unknown',
    'http://127.0.0.1/',
    'http://[::1]/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://',
    '//',
    'https://a@b:99999/',
  ),
  fc.webUrl(),
  nastyText,
)

function fittingNumber({ minimum = -1e6, maximum = 1e6 }: JsonSchema, type: string): fc.Arbitrary<number> {
  const inside =
    type === 'integer'
      ? fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) })
      : fc.double({ min: minimum, max: maximum, noNaN: true })
  return fc.oneof(fc.constantFrom(minimum, maximum), inside)
}
