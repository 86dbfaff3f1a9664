import { afterEach, beforeEach, expect, test } from 'bun:test'
import { checkBucket } from '../../../src/commands/doctor/bucket-check.ts'
import { loadConfig } from '../../../src/config.ts'

/** What the bucket does other than S3. */
let faults: { forgetsConditions?: boolean; refuses?: string }
const objects = new Map<string, { etag: string; body: string }>()
let written = 0

const server = () =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const refuse = (status: number, code: string) =>
        new Response(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, { status })
      if (faults.refuses === request.method) return refuse(403, 'AccessDenied')
      const found = objects.get(pathname)
      if (request.method === 'GET' && searchParams.has('list-type')) {
        const prefix = `/box/${searchParams.get('prefix')}`
        const keys = [...objects.keys()].filter((key) => key.startsWith(prefix))
        return new Response(keys.map((key) => `<Key>${key.slice('/box/'.length)}</Key>`).join(''))
      }
      if (request.method === 'GET')
        return found ? new Response(found.body, { headers: { etag: found.etag } }) : refuse(404, 'NoSuchKey')
      if (request.method === 'DELETE') {
        objects.delete(pathname)
        return new Response(null, { status: 204 })
      }
      const [match, none] = [request.headers.get('if-match'), request.headers.get('if-none-match')]
      const isMet = (match === null || match === found?.etag) && (none === null || !found)
      if (!isMet && !faults.forgetsConditions) return refuse(412, 'PreconditionFailed')
      const etag = `"${++written}"`
      objects.set(pathname, { etag, body: await request.text() })
      return new Response(null, { headers: { etag } })
    },
  })

let running: ReturnType<typeof server>
beforeEach(() => {
  faults = {}
  running = server()
})
afterEach(() => running.stop(true))

const configOf = (settings: Record<string, string> = { COPIES_TO: 's3://box/shop' }) =>
  loadConfig(
    {
      ...settings,
      S3_ENDPOINT: `http://127.0.0.1:${running.port}`,
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
      FETCH_ALLOW_CIDRS: '127.0.0.0/8',
    },
    {},
  )

test.each([{ COPIES_TO: 's3://box/shop' }, { STANDBY: 's3://box/shop' }])(
  'a bucket with all rights leaves nothing behind: %j',
  async (settings) => {
    expect(await checkBucket(configOf(settings))).toEqual({
      name: 'bucket',
      state: 'ok',
      text: 'This node may write, read, list and delete in s3://box/shop, under conditions too',
      cure: null,
    })
    expect(objects.size).toBe(0)
  },
)

test('a store without conditional writes is an error, and the object is deleted all the same', async () => {
  faults = { forgetsConditions: true }
  expect(await checkBucket(configOf())).toMatchObject({
    state: 'error',
    text: expect.stringContaining('does not keep conditions of writes'),
  })
  expect(objects.size).toBe(0)
})

test.each(['PUT', 'GET', 'DELETE'])('a key without the right to %s is an error', async (method) => {
  faults = { refuses: method }
  expect(await checkBucket(configOf())).toMatchObject({
    state: 'error',
    text: expect.stringContaining('AccessDenied'),
    cure: expect.stringContaining('rights'),
  })
  objects.clear()
})

test('an address where nobody listens is an error', async () => {
  const config = configOf()
  await running.stop(true)
  expect(await checkBucket(config)).toMatchObject({ name: 'bucket', state: 'error' })
})

test('a node without a standby has no bucket to check', async () => {
  expect(await checkBucket(configOf({}))).toBeUndefined()
})
