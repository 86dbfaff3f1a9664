import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readDemoPicture } from '../../../../src/features/catalogue/demo/assets.ts'
import { DEMO_QUERIES } from '../../../../src/features/catalogue/demo/catalogue.ts'
import { sampleService } from '../../../../src/features/catalogue/demo/samples.ts'
import { type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp
beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

const get = (path: string) => app.http.handle(new Request(`http://lookalike.test${path}`))

test('samples are listed and served to everybody', async () => {
  const answer = await app.call('GET', '/samples', {})
  const { status } = answer
  const body = answer.body as unknown as { name: string; url: string }[]
  expect(status).toBe(200)
  expect(body.map(({ name }) => name)).toEqual(DEMO_QUERIES.map(({ title }) => title))
  const [first] = body
  const picture = await get(first?.url ?? '')
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(await picture.text()).toBe(`picture:7 ${DEMO_QUERIES[0]?.picture}`)
})

test('nothing else lies there', async () => {
  for (const name of ['query-mug', 'query-mug.webp', `${'0'.repeat(32)}.webp`, '..%2f..%2fpackage.json'])
    expect([name, (await get(`/samples/${name}`)).status]).toEqual([name, 404])
})

test('the pictures of the program are named by their content', async () => {
  const samples = sampleService({ queries: DEMO_QUERIES, readPicture: readDemoPicture })
  const listed = await samples.list()
  expect(listed).toHaveLength(DEMO_QUERIES.length)
  for (const { url } of listed) {
    const file = url.split('/').at(-1) ?? ''
    const bytes = await samples.find(file)
    if (!bytes) throw new Error(`${file} was listed`)
    expect(file).toBe(`${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.webp`)
  }
})

test('a read that failed is tried again', async () => {
  let tries = 0
  const samples = sampleService({
    queries: DEMO_QUERIES.slice(0, 1),
    readPicture: async () => {
      if (tries++ === 0) throw new Error('the disk is busy')
      return new Uint8Array(1)
    },
  })
  await expect(samples.list()).rejects.toThrow('the disk is busy')
  expect(await samples.list()).toHaveLength(1)
})
