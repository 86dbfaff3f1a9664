import { afterAll, beforeAll, expect, test } from 'bun:test'
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import pino from 'pino'
import { ERRORS } from '../../src/core/errors.ts'
import { pictureBytes, type TestApp, testApp } from '../support/app.ts'
import { addPerson, tokenOf } from '../support/people.ts'
import { faultsOf } from './consistency.ts'
import { repetitions } from './random.ts'
import { type ApiDocument, type WildRequest, wildRequests } from './requests.ts'

const REQUESTS = repetitions('FUZZ_REQUESTS', 12_000)
const SEED = repetitions('FUZZ_SEED', 5)

let app: TestApp
let token: string
/** A backend, the owner of its store, and a key that may everything that keys may. */
let tokens: string[]
let personJti: string
let document: ApiDocument
/** Answers by status. */
const counts = new Map<number, number>()
/** What the program says of its own failures. */
const failures: string[] = []

beforeAll(async () => {
  app = testApp({ log: pino({ level: 'error' }, { write: (line: string) => void failures.push(line) }) })
  token = await app.signIn()
  const person = await tokenOf(app, await addPerson(app, 'owner', [{ store: 'one', role: 'owner' }]))
  const scopes = { products: ['read', 'write', 'delete', 'bulk'], search: ['execute', 'read', 'write'] }
  const key = await app.call('POST', '/v1/security/api-keys', { token, body: { name: 'fuzz', scopes } })
  tokens = [token, person, String(key.body['key'])]
  personJti = String(decodeJwt(person).jti)
  app.picture('1', 1)
  app.picture('2', 2)
  for (const n of [0, 1, 2, 3]) await index(`p${n}`, n)
  document = (await app.call('GET', '/openapi.json')).body as unknown as ApiDocument
})
afterAll(() => app.close())

const index = (product_id: string, axis: number) => {
  app.web.set(`https://img.test/${product_id}.jpg`, pictureBytes(axis))
  const body = { product_id, image_url: `https://img.test/${product_id}.jpg`, metadata: { price: axis } }
  return app.call('POST', '/v1/products', { token, body })
}

/** Checks answers against the schemas of the document. */
function publishedSchemas(): (request: WildRequest, status: number, body: unknown) => string | undefined {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema({ ...document, $id: 'api' })
  const compiled = new Map<string, ValidateFunction>()
  return ({ method, url }, status, body) => {
    const path = templateOf(new URL(url, 'http://lookalike.test').pathname)
    const verb = method.toLowerCase()
    const content = document.paths[path ?? '']?.[verb]?.responses[status]?.content
    if (path === undefined || !content?.['application/json']) return undefined
    const place = ['paths', path, verb, 'responses', String(status), 'content', 'application/json', 'schema']
    const pointer = place.map((key) => encodeURIComponent(key.replaceAll('/', '~1'))).join('/')
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `api#/${pointer}` })
    compiled.set(pointer, validate)
    return validate(body) ? undefined : ajv.errorsText(validate.errors)
  }
}

/** The path of the document that a request comes to: the one with the fewest holes. */
const templateOf = (pathname: string): string | undefined =>
  Object.keys(document.paths)
    .filter((path) => new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(pathname))
    .sort((a, b) => a.split('{').length - b.split('{').length)[0]

async function send({ method, url, headers, body }: WildRequest): Promise<Response> {
  const request = new Request(`http://lookalike.test${url}`, {
    method,
    headers,
    ...(body !== undefined && { body: body as string }),
  })
  return app.http.handle(request)
}

/** What a browser may open by a link in a mail: its refusals are pages, too. */
const PAGES = /^\/(verify|oauth\/password\/reset)\b/

/** Undoes what would keep every later request out: a list of addresses, a refreshed token, a new client secret. */
function letIn(): void {
  app.db.exec('DELETE FROM ip_entries; DELETE FROM revoked_tokens; UPDATE stores SET secret_generation = 1')
  app.db.prepare('UPDATE sessions SET jti = ?').run(personJti)
}

/** What is wrong with the answer to a request; nothing should be. */
async function faultOf(
  request: WildRequest,
  check: ReturnType<typeof publishedSchemas>,
): Promise<string | undefined> {
  const response = await send(request)
  const { status } = response
  letIn()
  counts.set(status, (counts.get(status) ?? 0) + 1)
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  if (request.method === 'HEAD') return status >= 500 ? `answered ${status}` : undefined
  const isPage = PAGES.test(request.url) && text.startsWith('<!doctype html>') && status < 500
  if (status >= 400) return isPage ? undefined : errorFault(status, isJson, text)
  return isJson ? check(request, status, JSON.parse(text)) : undefined
}

function errorFault(status: number, isJson: boolean, text: string): string | undefined {
  if (!isJson) return `answered ${status} without JSON: ${text.slice(0, 200)}`
  const { error, message } = JSON.parse(text)
  if (status >= 500 && status !== 503) return `answered ${text}: ${failures.at(-1)}`
  if (!Object.hasOwn(ERRORS, error)) return `no known code: ${text}`
  if (typeof message !== 'string' || message === '') return `no message: ${text}`
  const expected: number = ERRORS[error as keyof typeof ERRORS].status
  return expected === status ? undefined : `${error} came with ${status}`
}

test(`${REQUESTS} wild requests: no failure of ours, known errors only, answers as published`, async () => {
  const check = publishedSchemas()
  const aims = new Set<string>()
  await fc.assert(
    fc.asyncProperty(wildRequests(document, tokens), async (request) => {
      aims.add(request.aim)
      const fault = await faultOf(request, check)
      if (fault !== undefined) throw new Error(fault)
    }),
    { numRuns: REQUESTS, seed: SEED },
  )
  // The requests are worth something: every operation was aimed at, and many of them worked.
  const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length
  expect(aims.size).toBe(operations + 1)
  expect(counts.get(200) ?? 0).toBeGreaterThan(REQUESTS / 10)
  expect(counts.get(201) ?? 0).toBeGreaterThan(10)
  expect(failures).toEqual([])
}, 7_200_000)

test('after them the database is sound, every product can be read, and the program still works', async () => {
  for (const callback of app.scheduled) callback()
  expect(faultsOf(app.db, app.folder)).toEqual([])
  const ids: string[] = []
  for (let cursor: unknown = ''; cursor !== null; ) {
    const after = cursor ? `&cursor=${cursor}` : ''
    const { status, body } = await app.call('GET', `/v1/products?limit=100${after}`, { token })
    expect(status).toBe(200)
    ids.push(...(body['products'] as { product_id: string }[]).map(({ product_id }) => product_id))
    cursor = body['next_cursor']
  }
  const stored = app.db.prepare<[], { id: string }>('SELECT product_id AS id FROM products').all()
  expect(ids.toSorted()).toEqual(stored.map(({ id }) => id).toSorted())
  for (const id of ids) {
    const { status, body } = await app.call('GET', `/v1/products/${encodeURIComponent(id)}`, { token })
    expect([status, body['product_id']]).toEqual([200, id])
  }
  expect((await index('last', 5)).status).toBe(201)
  const { body } = await app.call('POST', '/v1/search/text', {
    token,
    body: { query: '5', category_boost: 0 },
  })
  expect((body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)).toContain('last')
})

test('no request left anything on the prototypes that all objects share', () => {
  for (const prototype of [Object.prototype, Array.prototype, String.prototype, Function.prototype]) {
    expect(Object.keys(prototype)).toEqual([])
  }
})
