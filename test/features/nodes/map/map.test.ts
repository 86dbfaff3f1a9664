import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { BASE_URL, type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, refusal } from '../../../support/people.ts'
import { insertRow, insertRows, readRows, updateRows } from '../../../support/seed.ts'

const MAP_TOKEN = 'what-the-proxies-show'
const OPERATOR_KEY = 'the-key-of-the-data-folder'
const ELSEWHERE = 'https://node-b.search.example'
const NODE = 'lookalike.test'

interface Store {
  store_id: string
  slug: string
  state: string
  url: string
  moved_at: string | null
  widget_keys: string[]
}

const makeApp = (settings: Record<string, string> = { MAP_TOKEN }) =>
  testApp({ operatorKey: OPERATOR_KEY }, settings)

/** Asks for the map with the token of the proxies. */
async function fetchMap(app: TestApp, query = '', headers: Record<string, string> = {}) {
  const response = await app.http.handle(
    new Request(`${BASE_URL}/v1/admin/map${query}`, {
      headers: { authorization: `Bearer ${MAP_TOKEN}`, ...headers },
    }),
  )
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const readStores = async (app: TestApp, query = '') =>
  (JSON.parse((await fetchMap(app, query)).text) as { stores: Store[] }).stores

/** Makes a store with a widget key. */
async function addStoreWithKey(app: TestApp, slug: string): Promise<string> {
  const token = await app.signIn(slug)
  const body = { name: 'Shop', origins: ['https://shop.test'] }
  return String((await app.call('POST', '/v1/security/public-keys', { token, body })).body['key'])
}

const move = (app: TestApp, slug: string, values: Record<string, unknown>) =>
  updateRows(app, 'stores', values as never, { slug })

describe('who may read the map', () => {
  let app: TestApp
  let closed: TestApp
  let machine: string
  beforeAll(async () => {
    app = makeApp()
    closed = makeApp({})
    machine = await app.signIn('mine')
    await app.store('theirs')
    await closed.store('theirs')
  })
  afterAll(async () => {
    await app.close()
    await closed.close()
  })

  test('proxies with MAP_TOKEN, commands of this machine, and super-admins', async () => {
    expect((await fetchMap(app)).status).toBe(200)
    const root = await addPerson(app, 'root', [], { isSuperAdmin: true })
    for (const token of [OPERATOR_KEY, await getToken(app, root)]) {
      expect((await app.call('GET', '/v1/admin/map', { token })).body['count']).toBe(2)
    }
  })

  test('nobody else, in no format, and nobody learns the slug of a store', async () => {
    const owner = await addPerson(app, 'owner', [{ store: 'mine', role: 'owner' }])
    for (const query of ['', '?format=haproxy', '?format=nginx', '?format=caddy', '?format=prometheus']) {
      for (const token of [await getToken(app, owner), machine]) {
        const answer = await app.call('GET', `/v1/admin/map${query}`, { token })
        expect(refusal(answer)).toEqual([403, 'permission_denied'])
        expect(JSON.stringify(answer.body)).not.toContain('theirs')
      }
      const strangers = ['', `Bearer ${MAP_TOKEN}x`, 'Bearer null', 'Bearer undefined', `Basic ${MAP_TOKEN}`]
      for (const authorization of strangers) {
        const { status, text } = await fetchMap(app, query, { authorization })
        expect([status, text.includes('theirs')]).toEqual([401, false])
      }
    }
  })

  test('without MAP_TOKEN no token opens it', async () => {
    for (const token of [MAP_TOKEN, '', 'null', 'undefined']) {
      expect((await fetchMap(closed, '', { authorization: `Bearer ${token}` })).status).toBe(401)
    }
  })

  test('the token opens nothing else', async () => {
    for (const path of ['/v1/admin/stores', '/v1/admin/models', '/v1/products', '/v1/me']) {
      expect(refusal(await app.call('GET', path, { token: MAP_TOKEN }))).toEqual([401, 'unauthorized'])
    }
    const headers = { host: 'lookalike.test', authorization: `Bearer ${MAP_TOKEN}` }
    expect((await app.http.handle(new Request(`${BASE_URL}/metrics`, { headers }))).status).toBe(401)
  })
})

describe('what the map says', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = makeApp()
    key = await addStoreWithKey(app, 'here')
    for (const name of ['going', 'gone', 'erased']) await app.store(name)
    move(app, 'going', { move_state: 'paused', moved_to: ELSEWHERE })
    app.stores.setMoveState(idOf('gone'), 'moving')
    app.stores.setMoveState(idOf('gone'), 'moved', ELSEWHERE)
    move(app, 'erased', { erasing_at: 1 })
  })
  afterAll(() => app.close())

  const idOf = (slug: string) => String(readRows<{ id: string }>(app, 'stores', { slug })[0]?.id)

  test('JSON', async () => {
    const { text, headers } = await fetchMap(app)
    expect(headers.get('content-type')).toStartWith('application/json')
    expect(JSON.parse(text)).toEqual({
      node: { url: BASE_URL, version: expect.any(String) },
      nodes: [BASE_URL, ELSEWHERE],
      stores: [
        {
          ...{ store_id: idOf('here'), slug: 'here', state: 'active', url: BASE_URL, moved_at: null },
          widget_keys: [key],
        },
        {
          ...{ store_id: idOf('going'), slug: 'going', state: 'moving', url: BASE_URL, moved_at: null },
          widget_keys: [],
        },
        {
          ...{ store_id: idOf('gone'), slug: 'gone', state: 'moved', url: ELSEWHERE },
          ...{ moved_at: '2030-01-01T00:00:00.000Z', widget_keys: [] },
        },
      ],
      count: 3,
      next_cursor: null,
    })
  })

  test.each([
    ['haproxy', ''],
    ['caddy', ''],
    ['nginx', ';'],
  ])('lines for %s', async (format, end) => {
    const { text, headers } = await fetchMap(app, `?format=${format}&hosts=search.example`)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text.split('\n')).toEqual([
      '# Which node serves what; written by Lookalike.',
      `${NODE} ${NODE}${end}`,
      `node-b.search.example node-b.search.example${end}`,
      `here.search.example ${NODE}${end}`,
      `/here ${NODE}${end}`,
      `client:${idOf('here')} ${NODE}${end}`,
      `${key} ${NODE}${end}`,
      `going.search.example ${NODE}${end}`,
      `/going ${NODE}${end}`,
      `client:${idOf('going')} ${NODE}${end}`,
      `gone.search.example node-b.search.example${end}`,
      `/gone node-b.search.example${end}`,
      `client:${idOf('gone')} node-b.search.example${end}`,
      '',
    ])
    expect((await fetchMap(app, `?format=${format}`)).text).not.toContain('here.search.example')
  })

  test('targets for Prometheus', async () => {
    const { text, headers } = await fetchMap(app, '?format=prometheus')
    expect(headers.get('content-type')).toStartWith('application/json')
    expect(JSON.parse(text)).toEqual([
      {
        targets: [`${NODE}:80`],
        labels: { __scheme__: 'http', __metrics_path__: '/metrics', node: NODE },
      },
      {
        targets: ['node-b.search.example:443'],
        labels: { __scheme__: 'https', __metrics_path__: '/metrics', node: 'node-b.search.example' },
      },
    ])
  })

  test.each(['', '?format=haproxy&hosts=search.example', '?format=prometheus'])(
    'the ETag of %p stays while nothing changes',
    async (query) => {
      const first = await fetchMap(app, query)
      const etag = String(first.headers.get('etag'))
      expect(first.headers.get('cache-control')).toBe('private, no-cache')
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
        const again = await fetchMap(app, query, { 'if-none-match': tag })
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
      }
      expect((await fetchMap(app, query, { 'if-none-match': '"other"' })).status).toBe(200)
      move(app, 'here', { move_state: 'moved', moved_to: 'https://node-c.search.example', moved_at: 1 })
      const later = await fetchMap(app, query, { 'if-none-match': etag })
      expect([later.status, later.headers.get('etag') !== etag]).toEqual([200, true])
      move(app, 'here', { move_state: null, moved_to: null, moved_at: null })
    },
  )

  test.each([
    ['?format=xml', '/format'],
    ['?hosts=Search.Example', '/hosts'],
    ['?hosts=a%20b', '/hosts'],
    ['?hosts=a;%0Adefault', '/hosts'],
    ['?hosts=-a.example', '/hosts'],
    ['?limit=0', '/limit'],
    ['?limit=1001', '/limit'],
  ])('%p is refused', async (query, pointer) => {
    const { status, text } = await fetchMap(app, query)
    expect(status).toBe(422)
    expect(text).toContain(`"pointer":"${pointer}"`)
  })

  test('a cursor of another list is refused', async () => {
    const { status, text } = await fetchMap(app, '?cursor=eyJsaXN0IjoiYWRtaW5fc3RvcmVzIn0')
    expect([status, (JSON.parse(text) as { error: string }).error]).toEqual([400, 'invalid_cursor'])
  })
})

describe('what a store cannot do to the map', () => {
  /** Names as somebody with the database in his hands could write them: the service itself would refuse each. */
  const HOSTILE = [
    'a b',
    'a;\ndefault evil',
    '~.*',
    'include /etc/passwd',
    'a"b',
    "a'b",
    'a{b}',
    'a\\b',
    'a#b',
    '$host',
    '',
    'ü',
    '-a',
    'A',
  ]

  test('write a line of its own', async () => {
    const app = makeApp()
    const key = await addStoreWithKey(app, 'good')
    const [row] = readRows(app, 'stores', { slug: 'good' })
    HOSTILE.forEach((slug, n) => {
      const id = `00000000-0000-7000-8000-00000000000${n.toString(16)}`
      insertRow(app, 'stores', { ...row, id, slug } as never)
    })
    for (const [n, wrong] of [' x', ';x', '\nx evil', '"', '~', 'pk_live_ab c'].entries()) {
      const [found] = readRows(app, 'public_keys', { key })
      insertRow(app, 'public_keys', {
        ...found,
        id: `wrong-${n}`,
        key_hash: Buffer.from([n]),
        key: wrong,
      } as never)
    }
    for (const format of ['haproxy', 'nginx', 'caddy']) {
      const { text } = await fetchMap(app, `?format=${format}&hosts=search.example`)
      const keys = text
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => {
          expect(line).toMatch(/^[\w./:-]+ lookalike\.test;?$/)
          return String(line.split(' ')[0])
        })
      // Each of the hostile ones still has its id.
      expect(keys.filter((name) => !name.startsWith('client:'))).toEqual([
        NODE,
        'good.search.example',
        '/good',
        key,
      ])
      expect(keys).toHaveLength(HOSTILE.length + 5)
    }
    await app.close()
  })

  test('take the host name of a node, or the id of another store', async () => {
    const app = makeApp()
    await app.store('victim')
    const [row] = readRows<{ id: string }>(app, 'stores', { slug: 'victim' })
    const id = String(row?.id)
    insertRow(app, 'stores', {
      ...row,
      id: '00000000-0000-7000-8000-000000000000',
      slug: 'lookalike',
    } as never)
    insertRow(app, 'stores', { ...row, id: '00000000-0000-7000-8000-000000000001', slug: id } as never)
    move(app, 'victim', { move_state: 'moved', moved_to: ELSEWHERE, moved_at: 1 })
    const { text } = await fetchMap(app, '?format=haproxy&hosts=test')
    const lines = text.split('\n')
    expect(lines.filter((line) => line.startsWith('lookalike.test '))).toEqual([`${NODE} ${NODE}`])
    expect(lines).toContain(`client:${id} node-b.search.example`)
    expect(lines).toContain(`/${id} ${NODE}`)
    await app.close()
  })
})

describe('a node with many stores', () => {
  const COUNT = 10_000
  let app: TestApp
  beforeAll(async () => {
    app = makeApp()
    await app.store('first')
    const [row] = readRows(app, 'stores')
    insertRows(app, 'stores', COUNT - 1, (n) => ({
      ...(row as Record<string, never>),
      id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
      slug: `many-${n}`,
    }))
  }, 60_000)
  afterAll(() => app.close())

  test('tells all of them in pages, each once', async () => {
    const seen = new Set<string>()
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const { text } = await fetchMap(app, `?limit=1000${cursor && `&cursor=${cursor}`}`)
      const page = JSON.parse(text) as { stores: Store[]; count: number; next_cursor: string | null }
      expect(page.count).toBeLessThanOrEqual(1_000)
      for (const { slug } of page.stores) seen.add(slug)
      cursor = page.next_cursor
    }
    expect([pages, seen.size]).toEqual([10, COUNT])
    expect(await readStores(app, '?limit=1')).toHaveLength(1)
  })

  test('sends the lines in pieces, and reads no further than the client does', async () => {
    const { body } = await app.http.handle(
      new Request(`${BASE_URL}/v1/admin/map?format=haproxy`, {
        headers: { authorization: `Bearer ${MAP_TOKEN}` },
      }),
    )
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    expect(first.split('\n').length).toBeWithin(500, 2_000)
    // What has not been read yet is as it is now.
    updateRows(
      app,
      'stores',
      { move_state: 'moved', moved_to: ELSEWHERE, moved_at: 1 },
      { slug: 'many-9998' },
    )
    let rest = ''
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      rest += new TextDecoder().decode(value)
    }
    // Not `toContain`, which would print all of it.
    expect(rest.includes('/many-9997 lookalike.test\n')).toBe(true)
    expect(rest.includes('/many-9998 node-b.search.example\n')).toBe(true)
    // A line for the node, two for each store, and the first line.
    expect((first + rest).trim().split('\n')).toHaveLength(2 + 2 * COUNT)
  })
})
