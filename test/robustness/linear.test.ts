import { afterAll, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { decodeBase64, decodeDataUri } from '../../src/core/data-uri.ts'
import { checkMetadata } from '../../src/features/catalogue/products/metadata.ts'
import { TextSearch, UploadSearch } from '../../src/features/discovery/search/schema.ts'
import { warnOfUnknownFields } from '../../src/features/discovery/search/warnings.ts'
import { formBody, jsonBody, urlencodedBody } from '../../src/http/body.ts'
import { findProblems } from '../../src/http/validation.ts'
import { testApp } from '../support/app.ts'
import {
  JSON_FAMILIES,
  JSON_TYPE,
  MULTIPART_FAMILIES,
  multipart,
  part,
  URLENCODED_FAMILIES,
} from './heavy-bodies.ts'
import { createComparison } from './linear-cost.ts'

const KIB = 1024
const MIB = 1024 * KIB
const HUGE = 64 * MIB

const comparison = createComparison()
const { expectLinear } = comparison
afterAll(() => comparison.record({ bar: 34, part: 'growth' }))

const request = (type: string, body: Buffer<ArrayBuffer>) => ({
  request: new Request('http://lookalike.test/', {
    method: 'POST',
    headers: { 'content-type': type, 'content-length': String(body.length) },
    body,
  }),
})

const parser =
  (
    parse: (context: { request: Request }) => unknown,
    type: string,
    make: (n: number) => Buffer<ArrayBuffer>,
  ) =>
  (bytes: number) => {
    const body = make(bytes)
    return () => parse(request(type, body))
  }

test.each(JSON_FAMILIES.map((family) => [family.name, family] as const))(
  '%s',
  // The limits stop most of them early; within the limits everything is read.
  async (_, { type, make }) => {
    await expectLinear(parser(jsonBody(HUGE), type, make), 24 * KIB)
    await expectLinear(parser(jsonBody(HUGE), type, make), 3 * MIB)
  },
  120_000,
)

test.each(MULTIPART_FAMILIES.map((family) => [family.name, family] as const))(
  '%s',
  async (_, { type, make }) => {
    await expectLinear(parser(formBody(UploadSearch, 'search'), type, make), 2.4 * MIB)
  },
  120_000,
)

test('multipart: fields within the limit', async () => {
  const make = (bytes: number) =>
    multipart(...Array.from({ length: 199 }, (_, n) => part(`k${n}`, 'x'.repeat(bytes / 200))))
  await expectLinear(
    parser(formBody(UploadSearch, 'search'), 'multipart/form-data; boundary=B', make),
    2.4 * MIB,
  )
}, 60_000)

test.each(URLENCODED_FAMILIES.map((family) => [family.name, family] as const))(
  '%s',
  async (_, { type, make }) => {
    await expectLinear(parser(urlencodedBody(HUGE, ''), type, make), 256 * KIB)
  },
  120_000,
)

/** What comes after the parser: pictures in texts, and the walks over a body. */
const WALKS: Record<string, (bytes: number) => () => unknown> = {
  base64: (n) => {
    const text = '/9j/4AAQ'.repeat(n / 8)
    return () => decodeBase64(text, HUGE)
  },
  'base64 with a fault at its end': (n) => {
    const text = `${'/9j/4AAQ'.repeat(n / 8)}!`
    return () => decodeBase64(text, HUGE)
  },
  'data: URI in base64': (n) => {
    const text = `data:image/jpeg;base64,${'/9j/4AAQ'.repeat(n / 8)}`
    return () => decodeDataUri(text, HUGE)
  },
  'data: URI in percents': (n) => {
    const text = `data:,${'%ff%D8a'.repeat(n / 7)}`
    return () => decodeDataUri(text, HUGE)
  },
  'data: URI in base64 and percents': (n) => {
    const text = `data:;base64,${'%2F9j/4AAQ'.repeat(n / 10)}`
    return () => decodeDataUri(text, HUGE)
  },
  'data: URI of a long type': (n) => {
    const text = `data:${'; '.repeat(n / 2)},x`
    return () => decodeDataUri(text, HUGE)
  },
  'metadata of many keys': (n) => {
    const metadata = Object.fromEntries(Array.from({ length: n / 32 }, (_, at) => [`k${at}`, [at]]))
    return () => checkMetadata(metadata)
  },
  'metadata of long lists': (n) => {
    const metadata = { a: Array.from({ length: n / 8 }, () => 0) }
    return () => checkMetadata(metadata)
  },
  // As many as the largest body of a search can hold.
  'unknown fields': (n) => {
    const body = Object.fromEntries(Array.from({ length: n / 128 }, (_, at) => [`k${at}`, 1]))
    return () => warnOfUnknownFields(body, 'text')
  },
  'a refusal of a long list': (n) => {
    const body = { fields: Array.from({ length: n / 8 }, () => 'a'), limit: 'x' }
    return () => findProblems(TextSearch, body, 'body')
  },
  'a refusal of a long list without a limit': (n) => {
    const body = { tags: Array.from({ length: n / 64 }, () => 'a'), limit: 'x' }
    const schema = t.Object({ tags: t.Array(t.String()), limit: Type.Integer() })
    return () => findProblems(schema, body, 'body')
  },
}
test.each(Object.entries(WALKS))(
  '%s',
  async (_, work) => {
    await expectLinear(work, 2 * MIB)
  },
  120_000,
)

/** Queries up to what a head of 64 KiB can hold. */
const QUERIES: Record<string, (bytes: number) => string> = {
  'one name again and again': (n) => 'limit=1&'.repeat(n / 8),
  'different names': (n) => Array.from({ length: n / 8 }, (_, at) => `k${at}=1`).join('&'),
  escapes: (n) => `q=${'%41'.repeat(n / 3)}`,
  commas: (n) => `q=${','.repeat(n)}`,
  lists: (n) => `status=[${'a,'.repeat(n / 2)}]`,
}
test.each(Object.entries(QUERIES))(
  'a query: %s',
  async (_, make) => {
    const app = testApp()
    const token = await app.signIn()
    const work = (bytes: number) => {
      const path = `/v1/products?${make(bytes)}`
      return () => app.call('GET', path, { token })
    }
    await expectLinear(work, 15 * KIB)
    await app.close()
  },
  120_000,
)

test('a body whose schema refuses it is refused as fast as it is read', async () => {
  const app = testApp()
  const token = await app.signIn()
  const work = (bytes: number) => {
    const body = JSON.stringify({ image: 'a'.repeat(bytes), limit: 'x' })
    const headers = { 'content-type': JSON_TYPE }
    return () => app.call('POST', '/v1/search/url', { token, body, headers })
  }
  await expectLinear(work, 3 * MIB)
  await app.close()
}, 60_000)
