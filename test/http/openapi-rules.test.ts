import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { BASE_URL, type TestApp, testApp } from '../support/app.ts'

/**
 * What every operation owes its readers. A new route fails here until its declaration has it: `detail` of the route for
 * the words, `named()` of `http/openapi/named.ts` for names and examples, `http/openapi/document-head.ts` for a new tag.
 */

type Json = Record<string, unknown>

interface Media {
  schema?: Json
  example?: unknown
}

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

let app: TestApp
let document: {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Json }
  servers: unknown
}
let operations: { name: string; operation: Operation }[]

beforeAll(async () => {
  app = testApp()
  document = (await app.call('GET', '/openapi.json')).body as unknown as typeof document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
})
afterAll(() => app.close())

/** Names of the operations that break a rule. */
const offenders = (breaks: (operation: Operation) => boolean): string[] =>
  operations.filter(({ operation }) => breaks(operation)).map(({ name }) => name)

const bodiesOf = ({ requestBody }: Operation) => Object.entries(requestBody?.content ?? {})

const answersOf = ({ responses }: Operation) =>
  Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Number(status) < 400 ? Object.entries(content) : [],
  )

const resolve = (schema: Json | undefined): Json => {
  const name = String(schema?.['$ref'] ?? '').replace('#/components/schemas/', '')
  return (name ? document.components.schemas[name] : schema) as Json
}

/** A form whose file is required has no example: a document cannot hold the file. */
const requiresFile = (schema: Json | undefined): boolean => {
  const { required = [], properties = {} } = resolve(schema) as { required?: string[]; properties?: Json }
  return required.some((name) => (properties[name] as Json)['format'] === 'binary')
}

describe('every operation', () => {
  test('has a name for clients: a verb and what it acts on, in letters and digits', () => {
    expect(offenders(({ operationId = '' }) => !/^[a-z][a-zA-Z0-9]*$/.test(operationId))).toEqual([])
  })

  test('has a summary in one line without a full stop, and a description in whole sentences', () => {
    expect(offenders(({ summary = '' }) => !/^[A-Z][^\n]{5,}[^.\n]$/.test(summary))).toEqual([])
    expect(offenders(({ description = '' }) => !/^[`A-Z0-9][\s\S]{20,}\.$/.test(description))).toEqual([])
    const bare = /^(?:Needs|Takes) [^.]*\.$/
    expect(offenders(({ description = '' }) => bare.test(description))).toEqual([])
  })

  test('can refuse what stands in its path, whose bytes may be no text', () => {
    const silent = operations.filter(
      ({ name, operation }) => / \/v1\/.*\{/.test(name) && !('422' in operation.responses),
    )
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  test('has one tag, and says who may call it', () => {
    expect(offenders(({ tags = [] }) => tags.length !== 1)).toEqual([])
    expect(offenders(({ security }) => security === undefined)).toEqual([])
  })

  test('has an example for each body that a person can write', () => {
    const bare = offenders((operation) =>
      bodiesOf(operation).some(
        ([type, { schema, example }]) =>
          !['application/octet-stream', 'application/x-ndjson'].includes(type) &&
          example === undefined &&
          !requiresFile(schema),
      ),
    )
    expect(bare).toEqual([])
  })

  test('names the schemas of its JSON and of its forms', () => {
    const inline = offenders((operation) =>
      [...bodiesOf(operation), ...answersOf(operation)].some(
        ([type, { schema = {} }]) =>
          /json$|form/.test(type) && !type.includes('ndjson') && schema['$ref'] === undefined,
      ),
    )
    expect(inline).toEqual([])
  })
})

describe('schemas', () => {
  test('what people hold in variables has a stable name', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        ...['AccessToken', 'ApiKey', 'AuditEvent', 'Change', 'Delivery', 'Error', 'Feed', 'Feedback'],
        ...['Hit', 'Job', 'JobSummary', 'Me', 'Problem', 'Product', 'ProductInput', 'ProductMetadata'],
        ...['SearchResponse', 'Session', 'StoreSettings', 'TextSearch', 'UserToken', 'Webhook', 'WidgetKey'],
      ]),
    )
  })

  test('an object with three fields or more that stands in several places has a name', () => {
    const places = new Map<string, string[]>()
    const walk = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { type, properties } = value as Json
      if (type === 'object' && Object.keys(properties ?? {}).length >= 3) {
        const shape = JSON.stringify(value)
        places.set(shape, [...(places.get(shape) ?? []), place])
      }
      for (const [key, item] of Object.entries(value)) walk(item, `${place}/${key}`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const [key, item] of Object.entries(schema as Json)) walk(item, `${name}/${key}`)
    }
    for (const { name, operation } of operations) walk(operation, name)
    expect([...places.values()].filter((found) => found.length > 1)).toEqual([])
  })

  test('no keyword of OpenAPI 3.0 is left: what may be null says so in its type', () => {
    const text = JSON.stringify(document)
    expect(text).not.toContain('"nullable"')
    expect(text).toContain('"type":["string","null"]')
  })
})

test('the server is the public address of the service', () => {
  expect(document.servers).toEqual([{ url: BASE_URL, description: 'This service' }])
})
