import fc from 'fast-check'
import { around, fitting, type JsonSchema, nastyText, pictureAddress } from './json-values.ts'

/** The parts of the published document about requests and answers. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> }
}

export interface Operation {
  parameters?: { in: string; name: string; schema: JsonSchema; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: JsonSchema }> }>
}

/** A request that can be printed and sent. */
export interface WildRequest {
  /** The operation of the document that the request targets, as `METHOD path`. */
  aim: string
  method: string
  url: string
  headers: Record<string, string>
  body?: string | Uint8Array
}

type Draft = Omit<WildRequest, 'aim' | 'method'>

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND']
const BOUNDARY = 'a-boundary'

/** Generates requests for every operation of the document, most of them nearly valid, and some for no operation. */
export function wildRequests(document: ApiDocument, tokens: readonly string[]): fc.Arbitrary<WildRequest> {
  const aimed = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      aimedRequest(method.toUpperCase(), path, operation, tokens),
    ),
  )
  return fc.oneof({ arbitrary: fc.oneof(...aimed), weight: 12 }, { arbitrary: aimless(tokens), weight: 1 })
}

function aimedRequest(
  method: string,
  path: string,
  operation: Operation,
  tokens: readonly string[],
): fc.Arbitrary<WildRequest> {
  const parameters = operation.parameters ?? []
  const url = fc
    .tuple(fillPath(path), buildQuery(parameters.filter((parameter) => parameter.in === 'query')))
    .map(([filled, query]) => filled + query)
  const hasBody = operation.requestBody !== undefined
  const body: fc.Arbitrary<Pick<Draft, 'headers' | 'body'>> = hasBody
    ? buildBody(operation.requestBody?.content ?? {})
    : fc.constant({ headers: {} })
  return fc.tuple(url, headersWith(tokens), body).map(([address, headers, sent]) => ({
    aim: `${method} ${path}`,
    method,
    url: address,
    headers: { ...headers, ...sent.headers },
    ...(sent.body !== undefined && { body: sent.body }),
  }))
}

const segment: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 12 }).map((n) => `p${n}`), weight: 3 },
  fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%ED%A0%80',
    '%FF',
    '%2F',
    '%2e%2e',
    '.',
    '..',
    ';',
    '*',
    '+',
    '%F0%9F%98%80',
    'demo',
  ),
  nastyText.map((text) => encodeURIComponent(text.toWellFormed())),
)

/** Fills the parameters of a path. */
const fillPath = (path: string): fc.Arbitrary<string> =>
  fc
    .array(segment, { minLength: 3, maxLength: 3 })
    .map((fillings) => path.replace(/\{[^}]+\}/g, () => fillings.pop() ?? 'p1'))

function buildQuery(parameters: NonNullable<Operation['parameters']>): fc.Arbitrary<string> {
  const known = fc.record(
    Object.fromEntries(
      parameters.map(({ name, schema }) => [
        name,
        fc.oneof(
          fitting(schema),
          fc.constantFrom('', '-1', '1e308', 'NaN', '0x10', '99999999999999999999'),
          nastyText,
          cursor,
        ),
      ]),
    ),
    { requiredKeys: [] },
  )
  const further = fc.array(fc.tuple(nastyText, nastyText), { maxLength: 2 })
  return fc.tuple(fc.option(known), further).map(([values, others]) => {
    const pairs = [...Object.entries(values ?? {}), ...others].map(([name, value]) =>
      [name, String(value)].map((text) => encodeURIComponent(text.toWellFormed())).join('='),
    )
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  })
}

/** Cursors with our format and any content. */
const cursor: fc.Arbitrary<string> = fc
  .record({
    sort: fc.constantFrom('newest', 'oldest', 'updated', 'name', 'price_asc', 'price_desc', '__proto__'),
    id: fc.oneof(fc.integer(), fc.constantFrom(1e308, 2 ** 53 - 1, '1', null)),
    value: fc.oneof(fc.integer(), fc.double(), nastyText, fc.constantFrom(null, [], {})),
  })
  .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))

/** Header values are Latin-1 without control characters, because no client sends others. */
const headerText = nastyText.map((text) => text.replace(/[^\x20-\x7e\xa0-\xff]/g, '').trim())

const headersWith = (tokens: readonly string[]): fc.Arbitrary<Record<string, string>> =>
  fc
    .record(
      {
        authorization: fc.oneof(
          { arbitrary: fc.constantFrom(...tokens.map((token) => `Bearer ${token}`)), weight: 30 },
          fc.constantFrom(
            'Bearer',
            'Basic Og==',
            'Basic %%%',
            `bearer  ${tokens[0]}`,
            `Bearer ${tokens[0]} x`,
          ),
          headerText.map((text) => `Bearer ${text}`),
        ),
        accept: fc.constantFrom('application/problem+json', 'text/html', '*/*', ';;', 'application/json;q=x'),
        'idempotency-key': fc.oneof(
          fc.constantFrom('k1', 'k2', ''),
          headerText,
          fc.constant('k'.repeat(300)),
        ),
        'x-request-id': headerText,
        'x-service-active-tenant': fc.oneof(fc.constant('one'), headerText),
        'content-encoding': fc.constantFrom('gzip', 'br', 'nonsense'),
        cookie: headerText,
        origin: fc.constantFrom('null', 'https://evil.example'),
        range: fc.constant('bytes=0-1'),
      },
      { requiredKeys: ['authorization'] },
    )
    .chain((headers) =>
      // Most requests have few of them.
      fc
        .subarray(Object.keys(headers))
        .map((names) =>
          Object.fromEntries(
            Object.entries(headers).filter(
              ([name]) => name === 'authorization' || (names.length < 4 && names.includes(name)),
            ),
          ),
        ),
    )

const JSON_TYPE = 'application/json'

function buildBody(
  content: Record<string, { schema: JsonSchema }>,
): fc.Arbitrary<Pick<Draft, 'headers' | 'body'>> {
  const sent = Object.entries(content).map(([type, { schema }]) =>
    around(schema).chain((value) =>
      writtenAs(type, value).map((body) => ({ headers: { 'content-type': typeWithBoundary(type) }, body })),
    ),
  )
  const types = [
    '',
    'text/plain',
    JSON_TYPE,
    'application/ld+json',
    'multipart/form-data',
    'application/xml',
    '\xff',
    'a/b; charset=x',
  ]
  const wrongType = fc
    .tuple(fc.constantFrom(...types), fc.oneof(...sent))
    .map(([type, { body }]) => ({ headers: { 'content-type': type }, body }))
  const broken = fc
    .tuple(fc.constantFrom(...Object.keys(content)), brokenText)
    .map(([type, body]) => ({ headers: { 'content-type': typeWithBoundary(type) }, body }))
  return fc.oneof({ arbitrary: fc.oneof(...sent), weight: 8 }, wrongType, broken)
}

const typeWithBoundary = (type: string): string =>
  type === 'multipart/form-data' ? `${type}; boundary=${BOUNDARY}` : type

function writtenAs(type: string, value: unknown): fc.Arbitrary<string | Uint8Array> {
  if (type === JSON_TYPE) return jsonText(value)
  const given = Object.entries(typeof value === 'object' && value !== null ? value : { value })
  // The service refuses a form with both a file and an address at once, so it would test nothing further.
  const hasFile = given.some(([name]) => name === 'image')
  const fields = hasFile ? given.filter(([name]) => name !== 'image_url') : given
  const texts = fields.map(
    ([name, field]) => [name, typeof field === 'string' ? field : (JSON.stringify(field) ?? '')] as const,
  )
  if (type !== 'multipart/form-data') {
    const pairs = texts.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='))
    return fc.constant(pairs.join('&'))
  }
  const parts = texts.map(([name, text]) => {
    const file = name === 'image' ? '; filename="picture.jpg"' : ''
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', '%22')}"${file}\r\n\r\n${text}\r\n`
  })
  return fc.constant(`${parts.join('')}--${BOUNDARY}--\r\n`)
}

/** A value as JSON, sometimes with features that only text can have: duplicate keys, a prototype, numbers out of range. */
function jsonText(value: unknown): fc.Arbitrary<string | Uint8Array> {
  const text = JSON.stringify(value) ?? ''
  const put = (members: string) =>
    text.startsWith('{') && text !== '{}' ? `{${members},${text.slice(1)}` : text
  const after = (members: string) =>
    text.startsWith('{') && text !== '{}' ? `${text.slice(0, -1)},${members}}` : text
  return fc.oneof(
    { arbitrary: fc.constant(text), weight: 6 },
    fc.constantFrom(
      put('"__proto__":{"limit":5,"isAdmin":true}'),
      put('"constructor":{"prototype":{"x":1}}'),
      after('"product_id":"p3","product_id":"p4"'),
      after('"limit":1,"limit":1e999'),
      after('"metadata":{"__proto__":{"price":1},"price":-0,"deep":{"__proto__":null}}'),
      after('"metadata":{"price":1e308,"name":"\\ud800"}'),
      after(`"metadata":${nested(40)}`),
      `\ufeff${text}`,
    ),
  )
}

const nested = (levels: number): string => '{"a":'.repeat(levels) + '1'.padEnd(levels + 1, '}')

const brokenText: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[1,]',
    'nul',
    "{'a':1}",
    '{"a":NaN}',
    '{"a":1}{"b":2}',
    '[]',
    '"text"',
    '-0',
    '1e999',
    'null',
    nested(10_000),
    '['.repeat(10_000),
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    `{"a":"${'x'.repeat(2_000_000)}"}`,
    `--${BOUNDARY}--`,
    `--${BOUNDARY}\r\n\r\n`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n{"x":1}\r\n--${BOUNDARY}--\r\n`,
    '&&&=&=%&%zz=%ff',
    'grant_type=a&grant_type=b',
  ),
  fc.uint8Array({ maxLength: 60 }),
  pictureAddress,
)

/** Any method on any path, existing or not. */
const aimless = (tokens: readonly string[]): fc.Arbitrary<WildRequest> =>
  fc
    .tuple(
      fc.constantFrom(...METHODS),
      fc.array(
        fc.oneof(
          fc.constantFrom(
            'v1',
            'products',
            'search',
            'text',
            'docs',
            'errors',
            'pictures',
            'health',
            'oauth',
            'security',
            'me',
          ),
          segment,
        ),
        {
          maxLength: 6,
        },
      ),
      headersWith(tokens),
      fc.option(brokenText, { nil: undefined }),
    )
    .map(([method, segments, headers, body]) => ({
      aim: 'nothing',
      method,
      url: `/${segments.join('/')}`,
      headers,
      ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
    }))
