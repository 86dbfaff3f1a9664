import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { type ByteBudget, createByteBudget, type Reservation } from '../../src/core/byte-budget.ts'
import { ApiError } from '../../src/core/errors.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { jsonBody } from '../../src/http/body.ts'
import { errorPlugin } from '../../src/http/errors.ts'
import { createIntake, intakePlugin } from '../../src/http/intake.ts'
import { firstStatus, openConnection, statuses } from '../robustness/connection.ts'
import { until } from '../robustness/service.ts'
import { form, pictureBytes, type TestApp, testApp } from '../support/app.ts'
import { fakeEmbedder } from '../support/embedder.ts'
import { gatedEmbedder } from '../support/gate.ts'

const MIB = 1024 * 1024

let budget: ByteBudget
let gate: ReturnType<typeof gatedEmbedder>
let app: TestApp
let tokens: string[]

beforeEach(async () => {
  budget = createByteBudget()
  gate = gatedEmbedder()
  app = testApp({ budget, embedder: gate.embedder })
  tokens = [await app.signIn('one'), await app.signIn('two')]
  app.http.listen(0)
})
afterEach(async () => {
  gate.open()
  await app.http.stop(true)
  await app.close()
})

/** Takes all the bytes there are, in the names of other stores. */
function fill(all: ByteBudget): Reservation[] {
  const { max, firstMax } = LIMITS.bytesInFlight
  return Array.from({ length: max / firstMax }, (_, n) => all.take(`other ${n}`, firstMax))
}

const address = () => `http://127.0.0.1:${app.http.server?.port}`
const nothingHeld = () => until('every reservation is released', () => budget.held() === 0)

const send = (path: string, body: string | FormData | ReadableStream, store = 0, type?: string) =>
  fetch(address() + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[store]}`, ...(type && { 'content-type': type }) },
    body,
  })

/** A search by a picture with megabytes of another field. */
const upload = (megabytes: number, store = 0) =>
  send('/v1/search', form({ image: pictureBytes(1), note: new Uint8Array(megabytes * MIB) }), store)

describe('bodies in flight', () => {
  test('a body holds its length until its request is answered', async () => {
    gate.close()
    const searching = upload(2)
    await gate.waited()
    expect(budget.held()).toBeGreaterThan(2 * MIB)
    expect(budget.held()).toBeLessThan(2 * MIB + 2_000)
    gate.open()
    expect((await searching).status).toBe(200)
    await nothingHeld()
  })

  test('503 overloaded beyond the share of a store, with Retry-After; another store goes on', async () => {
    gate.close()
    const held = Array.from({ length: 5 }, () => upload(9))
    await gate.waited(5)
    const refused = await upload(9)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.json()).toMatchObject({ error: 'overloaded' })
    const other = upload(9, 1)
    await gate.waited(6)
    gate.open()
    expect((await Promise.all([...held, other])).map(({ status }) => status)).toEqual(Array(6).fill(200))
    await nothingHeld()
    expect((await upload(9)).status).toBe(200)
  })

  test('bodies leave room for downloads: together they take no more than their part', async () => {
    gate.close()
    const held = [0, 0, 0, 0, 1, 1].map((store) => upload(9.9, store))
    await gate.waited(6)
    expect((await upload(9.9, 1)).status).toBe(503)
    expect(budget.held()).toBeLessThanOrEqual(LIMITS.bodyBytesInFlightMax)
    gate.open()
    await Promise.all(held)
  })

  test('a slow body gives way to another store, and its sender may try again', async () => {
    const ceiling = LIMITS.bodyBytesInFlightMax
    const rest = budget.take('others', 7 * MIB, { ceiling })
    for (let n = 0; n < 4; n++) budget.take(`other ${n}`, 12 * MIB, { ceiling })
    const connection = await openConnection(address())
    const head = [
      'POST /v1/search HTTP/1.1',
      'host: lookalike',
      `authorization: Bearer ${tokens[1]}`,
      'content-type: multipart/form-data; boundary=b',
      'content-length: 9000000',
    ]
    connection.send(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(1_000)}`)
    await until('it has its room', () => budget.held() > 64 * MIB - MIB)
    expect((await upload(8)).status).toBe(503)
    app.clock.advance(3_000)
    expect((await upload(8)).status).toBe(200)
    await until('its sender is told', () => connection.received().includes('503'))
    expect(connection.received()).toContain('The body arrived slowly, and another store needed its place')
    expect(connection.received().toLowerCase()).toContain('retry-after: 5')
    connection.close()
    rest.release()
  })

  test('however fast, a body beyond the first share of its store gives way to the first share of another', async () => {
    const ceiling = LIMITS.bodyBytesInFlightMax
    for (const owner of ['other 1', 'other 2']) budget.take(owner, 10 * MIB, { ceiling })
    const connections = await Promise.all(Array.from({ length: 5 }, () => openConnection(address())))
    for (const connection of connections) {
      const head = [
        'POST /v1/search HTTP/1.1',
        'host: lookalike',
        `authorization: Bearer ${tokens[1]}`,
        'content-type: multipart/form-data; boundary=b',
        'content-length: 9000000',
      ]
      connection.send(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(1_000)}`)
    }
    await until('they have their room', () => budget.held() > 62 * MIB)
    expect((await upload(8)).status).toBe(200)
    const listTold = () => connections.filter((connection) => connection.received() !== '')
    await until('a sender is told', () => listTold().length > 0)
    expect(listTold()).toHaveLength(1)
    const [told] = listTold().map((connection) => connection.received())
    expect(told).toStartWith('HTTP/1.1 503')
    expect(told).toContain('The bodies of this store took more than its first share')
    expect(told?.toLowerCase()).toContain('retry-after: 1')
    for (const connection of connections) connection.close()
  })

  test('downloads that hold more than bodies may leave bodies the rest', async () => {
    for (let n = 0; n < 7; n++) budget.take(`other ${n}`, 12 * MIB)
    expect(budget.held()).toBeGreaterThan(LIMITS.bodyBytesInFlightMax)
    expect((await upload(9)).status).toBe(200)
  })

  test('a small body is taken whatever is under way', async () => {
    fill(budget)
    const answer = await send('/v1/search/text', '{"query":"1"}', 0, 'application/json')
    expect(answer.status).toBe(200)
    expect((await upload(1)).status).toBe(503)
  })

  test('a body without a length takes the most that the route allows, until it is read', async () => {
    gate.close()
    const picture = Buffer.from(pictureBytes(1)).toString('base64')
    const text = JSON.stringify({ image: picture, note: 'x'.repeat(MIB) })
    let push: () => void = () => {}
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(text.slice(0, 100)))
        await new Promise<void>((resolve) => (push = resolve))
        controller.enqueue(Buffer.from(text.slice(100)))
        controller.close()
      },
    })
    const searching = send('/v1/search/url', body, 0, 'application/json')
    await until('it has its room', () => budget.held() === LIMITS.pictureJsonBytesMax)
    push()
    await gate.waited()
    expect(budget.held()).toBe(text.length)
    gate.open()
    expect((await searching).status).toBe(200)
    await nothingHeld()
  })

  test.each([
    ['400', '/v1/search', 'x'.repeat(MIB), 'multipart/form-data; boundary=b'],
    ['422', '/v1/search/url', JSON.stringify({ limit: 'x'.repeat(MIB) }), 'application/json'],
    ['422', '/v1/search/url', `{"vector":[${'0,'.repeat(MIB)}0]}`, 'application/json'],
    ['413', '/v1/search/text', 'x'.repeat(2 * MIB), 'application/json'],
  ])('%s from %s gives the room back', async (status, path, body, type) => {
    expect((await send(path, body, 0, type)).status).toBe(Number(status))
    await nothingHeld()
  })

  test('a stranger takes no room', async () => {
    tokens = ['forged.token.here']
    expect((await upload(9)).status).toBe(401)
    expect(budget.held()).toBe(0)
  })

  test.each(['content-length: 9000000', 'transfer-encoding: chunked'])(
    'clients that go away while they send leave nothing behind (%s)',
    async (framing) => {
      const open = await Promise.all(
        Array.from({ length: 4 }, async (_, n) => {
          const connection = await openConnection(address())
          const head = [
            'POST /v1/search HTTP/1.1',
            'host: lookalike',
            `authorization: Bearer ${tokens[n % 2]}`,
            'content-type: multipart/form-data; boundary=b',
            framing,
          ]
          connection.send(`${head.join('\r\n')}\r\n\r\n3e8\r\n${'x'.repeat(1_000)}\r\n`)
          return connection
        }),
      )
      await until('all have their room', () => budget.held() >= 4 * 9_000_000)
      for (const [n, { socket }] of open.entries()) {
        if (n % 2 === 0) socket.resetAndDestroy()
        else socket.destroy()
      }
      await nothingHeld()
    },
  )

  test('a client that goes away while it waits for its answer holds its room no longer than the work', async () => {
    gate.close()
    const abort = new AbortController()
    const searching = fetch(`${address()}/v1/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]}` },
      body: form({ image: pictureBytes(1), note: new Uint8Array(MIB) }),
      signal: abort.signal,
    })
    await gate.waited()
    abort.abort()
    await expect(searching).rejects.toThrow()
    expect(budget.held()).toBeGreaterThan(MIB)
    gate.open()
    await nothingHeld()
  })
})

test('a body that does not come is given up, with its reservation and its connection', async () => {
  const arrivals = { monotonic: () => performance.now(), patienceMs: () => 50 }
  const slow = new Elysia()
    .use(intakePlugin(createIntake(budget, fakeEmbedder(), arrivals)))
    .use(
      errorPlugin({
        log: console,
        listMethods: () => [],
        findNearest: () => undefined,
        findProblems: () => undefined,
        baseUrl: address,
      }),
    )
    .post('/', () => 'read', { parse: jsonBody(MIB) })
    .listen(0)
  for (const framing of ['content-length: 1000000', 'transfer-encoding: chunked']) {
    const connection = await openConnection(`http://127.0.0.1:${slow.server?.port}`)
    connection.send(`POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${framing}\r\n\r\n1\r\n`)
    await until('it has its room', () => budget.held() > 0)
    const answer = await connection.ended()
    expect(answer).toStartWith('HTTP/1.1 400')
    expect(answer).toContain('The body arrived too slowly')
    await nothingHeld()
  }
  await slow.stop(true)
})

describe('pictures of ours that are read again', () => {
  test('count like a download, and 503 when there is no room', async () => {
    await app.call('POST', '/v1/products', {
      token: tokens[0] as string,
      body: form({ product_id: 'a', image: pictureBytes(1) }),
    })
    const { body } = await app.call('GET', '/v1/products/a', { token: tokens[0] as string })
    const search = () =>
      send('/v1/search/url', JSON.stringify({ image_url: body['image_url'] }), 0, 'application/json')
    expect((await search()).status).toBe(200)
    await nothingHeld()
    const rooms = fill(budget)
    expect((await search()).status).toBe(503)
    for (const room of rooms) room.release()
    gate.close()
    const searching = search()
    await gate.waited()
    expect(budget.held()).toBe(pictureBytes(1).length)
    gate.open()
    await searching
    await nothingHeld()
  })
})

describe('a picture that the queue of the model would refuse', () => {
  /** Pictures that were announced and have not ended, and those that were ever announced. */
  let open: Set<object>
  let announced: { bytes: number; storeId: string; priority: string }[]
  let isFull: boolean
  let embedded: number
  let full: TestApp
  let token: string

  beforeEach(async () => {
    open = new Set()
    announced = []
    isFull = false
    embedded = 0
    const fake = fakeEmbedder()
    full = testApp({
      budget,
      embedder: {
        ...fake,
        announcePicture(bytes, options) {
          if (isFull) throw new ApiError('overloaded', 'full', { retryAfterSeconds: 2 })
          const picture = { bytes, ...options }
          announced.push(picture)
          open.add(picture)
          return () => void open.delete(picture)
        },
        embedPicture(bytes, options) {
          embedded++
          return fake.embedPicture(bytes, options)
        },
      },
    })
    token = await full.signIn()
    full.http.listen(0)
  })
  afterEach(async () => {
    await full.http.stop(true)
    await full.close()
  })

  const place = () => `http://127.0.0.1:${full.http.server?.port}`
  const post = (path: string, body: FormData | string, type?: string, bearer = token) =>
    fetch(place() + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, ...(type && { 'content-type': type }) },
      body,
    })
  const bigForm = (fields: Record<string, string> = {}) =>
    form({ ...fields, image: pictureBytes(1), note: new Uint8Array(MIB) })
  const bigJson = (fields: object) => JSON.stringify({ ...fields, note: 'x'.repeat(MIB) })
  const image = Buffer.from(pictureBytes(1)).toString('base64')
  const image_url = `data:;base64,${image}`
  const nothingOpen = () => until('every announcement has ended', () => open.size === 0)

  test.each([
    ['/v1/search', () => bigForm(), undefined],
    ['/v1/search/url', () => bigJson({ image }), 'application/json'],
    ['/v1/products', () => bigForm({ product_id: 'p' }), undefined],
    ['/v1/products', () => bigJson({ product_id: 'p', image_url }), 'application/json'],
  ])('POST %s: 503 with Retry-After before it is read, and no room is taken', async (path, make, type) => {
    isFull = true
    const room = budget.held()
    const answer = await post(path, make(), type)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await answer.json()).toMatchObject({ error: 'overloaded' })
    expect(answer.headers.get('connection')).not.toBe('close')
    expect([budget.held(), embedded]).toEqual([room, 0])
    isFull = false
    const again = await post(path, make(), type)
    expect(again.status).toBeLessThan(300)
    await nothingOpen()
  })

  test('the answer comes before the body, and its connection serves the next request', async () => {
    isFull = true
    const connection = await openConnection(place())
    const head = (length: number) =>
      `POST /v1/search HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\n\r\n`
    connection.send(head(MIB) + 'x'.repeat(1_000))
    await until('it is refused', () => firstStatus(connection.received()) === 503)
    connection.send('x'.repeat(MIB - 1_000))
    connection.send('GET /health HTTP/1.1\r\nhost: a\r\n\r\n')
    await until('the next one is answered', () => statuses(connection.received()).length === 2)
    expect(statuses(connection.received())).toEqual([503, 200])
    connection.close()
  })

  test('what needs no picture, or is soon read, is not asked for', async () => {
    isFull = true
    const vector = Array.from({ length: 8 }, () => 0.1)
    for (const [path, body] of [
      ['/v1/search/text', { query: '1' }],
      ['/v1/search/url', { vector, note: 'x'.repeat(100_000) }],
      ['/v1/search/url', { image }],
    ] as const) {
      expect((await post(path, JSON.stringify(body), 'application/json')).status).toBe(200)
    }
    const chunked = await fetch(`${place()}/v1/search/url`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: new Blob([JSON.stringify({ vector })]).stream(),
    })
    expect(chunked.status).toBe(200)
    const small = form({ image: pictureBytes(1) })
    expect((await post('/v1/search', small)).status).toBe(200)
    expect(announced).toEqual([])
  })

  test('a stranger is told so before the queue is asked, and a body too large stays 413', async () => {
    isFull = true
    expect((await post('/v1/search', bigForm(), undefined, 'forged.token.here')).status).toBe(401)
    expect((await post('/v1/search/url', 'x'.repeat(16 * MIB), 'application/json')).status).toBe(413)
    expect((await post('/v1/search/url', 'x'.repeat(MIB), 'text/plain')).status).toBe(415)
  })

  test('the queue learns of size, store and purpose', async () => {
    expect((await post('/v1/search/url', bigJson({ image }), 'application/json')).status).toBe(200)
    expect((await post('/v1/products', bigForm({ product_id: 'p' }))).status).toBe(201)
    expect(announced).toMatchObject([{ priority: 'search' }, { priority: 'index' }])
    for (const { bytes, storeId } of announced) {
      expect(bytes).toBeGreaterThan(MIB)
      expect(storeId).not.toBe('')
    }
    await nothingOpen()
  })

  test.each([
    [400, '/v1/search', 'x'.repeat(MIB), 'multipart/form-data; boundary=b'],
    [400, '/v1/search/url', `{"image":"${'x'.repeat(MIB)}`, 'application/json'],
    [422, '/v1/search/url', bigJson({ image, limit: 'x' }), 'application/json'],
    [422, '/v1/search/url', bigJson({ image: 'not a picture!' }), 'application/json'],
  ])('%i from %s ends its announcement', async (status, path, body, type) => {
    expect((await post(path, body, type)).status).toBe(status)
    expect(announced).toHaveLength(1)
    await nothingOpen()
  })

  test.each(['content-length: 1000000', 'transfer-encoding: chunked'])(
    'a client that goes away while it sends ends its announcement (%s)',
    async (framing) => {
      const connection = await openConnection(place())
      connection.send(
        `POST /v1/search HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n` +
          `content-type: multipart/form-data; boundary=b\r\n${framing}\r\n\r\n3e8\r\n${'x'.repeat(1_000)}\r\n`,
      )
      await until('it is announced', () => open.size === 1)
      connection.socket.resetAndDestroy()
      await nothingOpen()
    },
  )
})
