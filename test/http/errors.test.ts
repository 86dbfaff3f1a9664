import { describe, expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { ApiError, ERRORS, type ErrorCode, notFound } from '../../src/core/errors.ts'
import { errorPlugin, lastResort } from '../../src/http/errors.ts'
import { createRequestCheck } from '../../src/http/request-check.ts'
import { requestLogPlugin } from '../../src/http/request-log.ts'
import { createRouteTable } from '../../src/http/route-table.ts'
import { countingIds, manualClock, testApp } from '../support/app.ts'
import { memoryDatabase } from '../support/database.ts'

const SECRET_TEXT = 'password=hunter2 at /home/operator/secret.ts'

/** A small program whose routes throw in every way there is. */
function throwing() {
  const logged: { err: unknown; path: string; request_id: unknown }[] = []
  const routes = createRouteTable(() => http.routes)
  const check = createRequestCheck(() => http.routes)
  const log = { error: (fields: (typeof logged)[number]) => void logged.push(fields), info: () => {} }
  const http = new Elysia({ serve: lastResort(log) })
    .use(
      requestLogPlugin({
        clock: manualClock('2030-01-01T00:00:00Z'),
        ids: countingIds(),
        version: '9.9.9',
        log,
      }),
    )
    .use(
      errorPlugin({
        log,
        listMethods: routes.listMethods,
        findNearest: routes.findNearest,
        findProblems: check.findProblems,
        baseUrl: () => 'https://shop.example',
      }),
    )
    .use(check.plugin)
    .get('/plain', () => {
      throw new Error(SECRET_TEXT)
    })
    .get('/text', () => {
      throw SECRET_TEXT
    })
    .get('/nothing', () => {
      throw undefined
    })
    .get('/rejected', async () => Promise.reject(new TypeError(SECRET_TEXT)))
    .get('/storage/:code', ({ params }) => {
      throw Object.assign(new Error(SECRET_TEXT), { code: params.code })
    })
    .get('/code/:code', ({ params }) => {
      throw new ApiError(params.code as ErrorCode, 'in words', {
        details: { hint: 'shown' },
        cause: new Error(SECRET_TEXT),
      })
    })
    .get('/retry', () => {
      throw new ApiError('overloaded', 'later', { retryAfterSeconds: 7, headers: { 'x-extra': 'yes' } })
    })
    .get('/gone', () => {
      throw new ApiError('gone', 'moved', { replacement: '/v1/team/members' })
    })
    .get('/fields', () => {
      throw new ApiError('unauthorized', 'no', {
        fields: { error_description: 'no' },
        headers: { 'www-authenticate': 'Basic realm="x"' },
      })
    })
    .get('/missing', () => {
      throw notFound('product')
    })
    .get('/broken-answer', () => ({ password_hash: SECRET_TEXT }) as never, {
      response: { 200: t.Object({ name: t.String() }) },
    })
    .post('/parser', () => 'unreachable', {
      parse: () => {
        throw new Error(SECRET_TEXT)
      },
    })
    .post('/cookie', ({ cookie: { session } }) => String(session?.value), {
      cookie: t.Cookie({ session: t.Optional(t.String()) }, { secrets: 'a secret', sign: ['session'] }),
    })

  async function ask(path: string, init: RequestInit = {}) {
    const response = await http.handle(new Request(`http://test${path}`, init))
    const text = await response.text()
    return { response, text, body: JSON.parse(text) as Record<string, unknown> }
  }
  return { ask, logged, http }
}

describe('what is thrown becomes an answer (contract 7.1)', () => {
  test.each(['/plain', '/text', '/rejected', '/parser?post', '/broken-answer'])(
    '%s: 500 internal_error or 400 tells nothing of what went wrong',
    async (path) => {
      const { response, text } = await throwing().ask(path, {
        method: path.endsWith('?post') ? 'POST' : 'GET',
      })
      expect(response.status).toBe(path.startsWith('/parser') ? 400 : 500)
      expect(text).not.toContain('hunter2')
      expect(text).not.toContain('secret.ts')
      expect(text).not.toContain('password_hash')
    },
  )

  test('500 internal_error from a real listener, even for what no handler of errors can take', async () => {
    const { http, logged } = throwing()
    http.listen(0)
    const response = await fetch(`http://127.0.0.1:${http.server?.port}/nothing`)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      error: 'internal_error',
      message: 'Something went wrong',
      details: { help: '/errors/internal_error' },
    })
    expect(logged).toHaveLength(1)
    await http.stop(true)
  })

  test('500 internal_error: one word for the client, everything for the log, joined by the request id', async () => {
    const { ask, logged } = throwing()
    const { response, body } = await ask('/plain', { headers: { 'x-request-id': 'from-proxy-1' } })
    expect(body).toEqual({
      error: 'internal_error',
      message: 'Something went wrong',
      details: { request_id: 'from-proxy-1', help: '/errors/internal_error' },
    })
    expect(response.headers.get('x-request-id')).toBe('from-proxy-1')
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatchObject({ path: '/plain', request_id: 'from-proxy-1' })
    expect(String(logged[0]?.err)).toContain('hunter2')
  })

  test('500: an answer that breaks its own schema is our bug, not a 422 of the client', async () => {
    const { ask, logged } = throwing()
    expect((await ask('/broken-answer')).body['error']).toBe('internal_error')
    expect(logged).toHaveLength(1)
  })

  test.each(Object.keys(ERRORS) as ErrorCode[])(
    '%s: the status of the register, the code in `error`',
    async (code) => {
      const { ask, logged } = throwing()
      const { response, body, text } = await ask(`/code/${code}`)
      expect(response.status).toBe(ERRORS[code].status)
      expect(body).toMatchObject({ error: code, message: 'in words', details: { hint: 'shown' } })
      expect(text).not.toContain('hunter2')
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(logged).toHaveLength(code === 'internal_error' ? 1 : 0)
    },
  )

  test.each([
    ['ENOSPC', 'storage_full', '60'],
    ['EDQUOT', 'storage_full', '60'],
    ['SQLITE_FULL', 'storage_full', '60'],
    ['SQLITE_BUSY', 'overloaded', '1'],
    ['SQLITE_READONLY', 'read_only', '60'],
    ['SQLITE_IOERR_FSYNC', 'storage_failed', '60'],
    ['SQLITE_CORRUPT_INDEX', 'storage_failed', '60'],
    ['SQLITE_BUSY_SNAPSHOT', 'overloaded', '1'],
    ['EIO', 'storage_failed', '60'],
    ['EROFS', 'read_only', '60'],
  ])('%s from the storage: 503 %s with Retry-After %s', async (code, error, retryAfter) => {
    const { response, body, text } = await throwing().ask(`/storage/${code}`)
    expect(response.status).toBe(503)
    expect(body['error']).toBe(error)
    expect(response.headers.get('retry-after')).toBe(retryAfter)
    expect(text).not.toContain('hunter2')
  })

  test('Retry-After and further headers come with the error', async () => {
    const { response } = await throwing().ask('/retry')
    expect(response.headers.get('retry-after')).toBe('7')
    expect(response.headers.get('x-extra')).toBe('yes')
  })

  test('410 gone: `replacement` stands beside `error` (contract 1.2)', async () => {
    const { response, body } = await throwing().ask('/gone')
    expect(response.status).toBe(410)
    expect(body).toEqual({
      error: 'gone',
      message: 'moved',
      replacement: '/v1/team/members',
      details: { help: '/errors/gone' },
    })
  })

  test('404 not_found: `details.resource` names the kind of thing', async () => {
    expect((await throwing().ask('/missing')).body).toMatchObject({
      error: 'not_found',
      details: { resource: 'product' },
    })
  })

  test('401: says how to come in, unless the error says so itself (RFC 9110 §11.6.1)', async () => {
    const { ask } = throwing()
    const challenge = async (path: string) => (await ask(path)).response.headers.get('www-authenticate')
    expect(await challenge('/code/unauthorized')).toBe('Bearer realm="lookalike"')
    expect(await challenge('/code/token_expired')).toContain('error="invalid_token"')
    expect(await challenge('/fields')).toBe('Basic realm="x"')
    expect(await challenge('/code/permission_denied')).toBeNull()
  })

  test('400 invalid_request: a cookie that we did not sign', async () => {
    const { response, body } = await throwing().ask('/cookie', {
      method: 'POST',
      headers: { cookie: 'session=forged.signature' },
    })
    expect([response.status, body['error']]).toEqual([400, 'invalid_request'])
  })

  test('no error may be kept by a cache, and none may be sniffed', async () => {
    const { response } = await throwing().ask('/missing')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('x-service-version')).toBe('9.9.9')
  })
})

describe('Accept: application/problem+json (RFC 9457)', () => {
  test('gives type, title, status and detail, and keeps `error` and `message`', async () => {
    const { response, body } = await throwing().ask('/missing', {
      headers: { accept: 'application/problem+json, application/json;q=0.9' },
    })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(body).toEqual({
      type: 'https://shop.example/errors/not_found',
      title: ERRORS.not_found.meaning,
      status: 404,
      detail: 'No such product',
      error: 'not_found',
      message: 'No such product',
      details: { resource: 'product', help: '/errors/not_found' },
    })
  })
})

describe('routes that are not there', () => {
  test('404 not_found for a path that nothing answers', async () => {
    const { response, body } = await throwing().ask('/nowhere')
    expect(response.status).toBe(404)
    expect(body).toMatchObject({ error: 'not_found', details: { resource: 'endpoint' } })
    expect(response.headers.get('allow')).toBeNull()
  })

  test('405 method_not_allowed with Allow for a path that others answer (RFC 9110 §15.5.6)', async () => {
    const { response, body } = await throwing().ask('/gone', { method: 'DELETE' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect(body).toMatchObject({ error: 'method_not_allowed', details: { allowed: ['GET', 'HEAD'] } })
  })

  test('405 for a pattern as well, and for every strange method', async () => {
    const { ask } = throwing()
    for (const method of ['PUT', 'OPTIONS', 'PROPFIND']) {
      const { response } = await ask('/code/gone', { method })
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
    }
  })
})

describe('a full disk', () => {
  test('POST /v1/products: 503 storage_full when SQLite cannot grow; reading goes on, and so does writing later', async () => {
    const db = memoryDatabase()
    const app = testApp({ db })
    const token = await app.signIn()
    const body = {
      product_id: 'sku-1',
      image_url: app.picture('one', 1),
      metadata: { text: 'x'.repeat(15_000) },
    }
    const pages = Number(db.pragma('page_count', { simple: true }))
    db.pragma(`max_page_count = ${pages}`)

    const refused = await app.call('POST', '/v1/products', { token, body })
    expect([refused.status, refused.body['error']]).toEqual([503, 'storage_full'])
    expect(refused.headers.get('retry-after')).toBe('60')
    expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(0)

    db.pragma('max_page_count = 1000000')
    expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
    await app.close()
  })
})
