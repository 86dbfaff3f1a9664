import { describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'

interface Listed {
  pointer: string
  code: string
  message: string
}

async function withApp<Result>(act: (app: TestApp, token: string) => Promise<Result>): Promise<Result> {
  const app = testApp()
  try {
    return await act(app, await app.signIn())
  } finally {
    await app.close()
  }
}

const problemsOf = (body: unknown, path = '/v1/search/text') =>
  withApp(async (app, token) => {
    const answer = await app.call('POST', path, { token, body })
    expect(answer.status).toBe(422)
    const { errors } = answer.body['details'] as { errors: Listed[] }
    return errors.map(({ pointer, code, message }) => [pointer, code, message])
  })

describe('422: a field that is there under the name of another search engine', () => {
  test.each(['q', 'text', 'Search_Query', 'qery'])('%s for query', async (name) => {
    expect(await problemsOf({ [name]: 'hat' })).toEqual([
      ['/query', 'required', `is required; did you mean 'query' by '${name}'?`],
    ])
  })

  test.each(['top_k', 'hitsPerPage', 'per_page', 'size', 'topK'])(
    '%s for limit, beside another problem',
    async (name) => {
      expect(await problemsOf({ [name]: 3 })).toEqual([
        ['/query', 'required', 'is required'],
        [`/${name}`, 'unknown', "is unknown; did you mean 'limit'?"],
      ])
    },
  )

  test('a field that is there is meant by nothing else, and strange ones are not spoken of', async () => {
    expect(await problemsOf({ limit: 3, top_k: 3, blender: 1 })).toEqual([
      ['/query', 'required', 'is required'],
    ])
  })

  test('only so many unknown fields are looked at, and long names are not repeated', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`blender ${n}`, 1]))
    expect(await problemsOf({ ...many, q: 'hat' })).toEqual([['/query', 'required', 'is required']])
    expect(await problemsOf({ ['query'.padEnd(61, 'y')]: 'hat' })).toEqual([
      ['/query', 'required', 'is required'],
    ])
  })

  test('a body that is no object stays what it is', async () => {
    const [problem] = await problemsOf(['q'])
    expect(problem?.[1]).not.toBe('required')
  })
})

test('without another problem the search works, and warns', () =>
  withApp(async (app, token) => {
    const { status, body } = await app.call('POST', '/v1/search/text', {
      token,
      body: { query: 'hat', hitsPerPage: 3 },
    })
    expect(status).toBe(200)
    expect(body['warnings']).toContain("the unknown field 'hitsPerPage' was ignored; did you mean 'limit'?")
  }))

test('415: JSON at POST /v1/search names the endpoint that takes it, a text does not', () =>
  withApp(async (app, token) => {
    const json = await app.call('POST', '/v1/search', { token, body: { image_url: 'https://x.test/a.jpg' } })
    expect([json.status, json.body['message']]).toEqual([415, expect.stringContaining('POST /v1/search/url')])
    const text = await app.call('POST', '/v1/search', {
      ...{ token, body: 'x', headers: { 'content-type': 'text/plain' } },
    })
    expect(text.body['message']).toBe('Send the body as Content-Type: multipart/form-data')
  }))

test('405: OPTIONS says which part of the API pages of other origins may call', () =>
  withApp(async (app) => {
    const asked = await app.call('OPTIONS', '/v1/search/text')
    expect([asked.status, asked.body['message']]).toEqual([
      405,
      expect.stringContaining('/v1/widget/ (CORS)'),
    ])
    expect((await app.call('GET', '/v1/search/text')).body['message']).not.toContain('CORS')
  }))

test('200: a filter by color where no product has one says what it compares', () =>
  withApp(async (app, token) => {
    const index = (product_id: string, metadata: object) =>
      app.call('POST', '/v1/products', {
        token,
        body: { product_id, image_url: app.picture('a', 1), metadata },
      })
    const search = async () =>
      (await app.call('POST', '/v1/search/text', { token, body: { query: 'hat', color: 'blue' } })).body[
        'warnings'
      ]
    await index('1', { name: 'Hat' })
    expect(await search()).toEqual([expect.stringContaining('no product has a color_name')])
    await index('2', { name: 'Hat', color_name: 'teal' })
    expect(await search()).toEqual(["no product has the color 'blue'"])
  }))
