import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { openStore } from '../../../support/storage.ts'
import { productsOf, startBulk } from './jobs.ts'

let app: TestApp
let gate: ReturnType<typeof gatedEmbedder>
let token: string
let storeId: string

beforeEach(async () => {
  gate = gatedEmbedder()
  app = testApp({ embedder: gate.embedder })
  ;({ token, storeId } = await openStore(app, 'enterprise'))
})
afterEach(async () => {
  gate.open()
  app.jobs.stop()
  await app.jobs.drain()
  await app.close()
})

/** What a running service does twice a second. */
const tell = () => app.chores.find(({ name }) => name === 'streaming the progress of jobs')?.run()

async function watch(id: string, as = token) {
  const response = await app.http.handle(
    new Request(`http://lookalike.test/v1/jobs/${id}/events`, { headers: { authorization: `Bearer ${as}` } }),
  )
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    cancel: () => reader?.cancel(),
    /** The next piece; undefined at the end. */
    async next(): Promise<string | undefined> {
      const { done = true, value } = (await reader?.read()) ?? {}
      return done ? undefined : decoder.decode(value as Uint8Array)
    },
    async rest(): Promise<string> {
      let text = ''
      for (let piece = await this.next(); piece !== undefined; piece = await this.next()) text += piece
      return text
    },
  }
}

const dataOf = (event = '') => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? 'null')

describe('GET /v1/jobs/{job_id}/events (contract 2.11)', () => {
  test('tells of progress, and ends with the final state', async () => {
    gate.close()
    const id = await startBulk(app, token, productsOf(app, 3))
    const stream = await watch(id)
    expect([stream.status, stream.type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(await stream.next()).toBe('retry: 3000\n')
    const first = await stream.next()
    expect(first).toStartWith('event: progress\n')
    expect(dataOf(first)).toMatchObject({ job_id: id, status: 'processing', processed: 0, total: 3 })
    gate.open()
    await app.jobs.waitUntilOver(storeId, id)
    const last = await stream.rest()
    expect(last).toContain('event: completed\n')
    expect(dataOf(last.slice(last.indexOf('event: completed')))).toMatchObject({ processed: 3, succeeded: 3 })
  })

  test('a job that is over is told at once', async () => {
    const id = await startBulk(app, token, [{}])
    await app.jobs.waitUntilOver(storeId, id)
    expect(await (await watch(id)).rest()).toContain('event: failed\n')
  })

  test('says that it is still there every 15 seconds, and ends after 15 minutes', async () => {
    gate.close()
    const stream = await watch(await startBulk(app, token, productsOf(app, 1)))
    tell()
    app.clock.advance(14_999)
    tell()
    app.clock.advance(1)
    tell()
    app.clock.advance(15 * 60_000)
    tell()
    const text = await stream.rest()
    expect(text.split(': still here').length).toBe(2)
  })

  test('a reader who takes nothing does not make the service collect events, and is given up', async () => {
    gate.close()
    const id = await startBulk(app, token, productsOf(app, 1))
    const stream = await watch(id)
    for (let n = 0; n < 200; n++) {
      app.clock.advance(500)
      app.jobs.noteProgress(1)
      tell()
    }
    const text = await stream.rest()
    expect(text.length).toBeLessThan(20_000)
  })

  test('a store has ten streams at most, and one that is left makes room', async () => {
    gate.close()
    const id = await startBulk(app, token, productsOf(app, 1))
    const streams = await Promise.all(Array.from({ length: 10 }, () => watch(id)))
    expect(streams.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const answer = await app.call('GET', `/v1/jobs/${id}/events`, { token })
    expect([answer.status, answer.body['error']]).toEqual([503, 'overloaded'])
    const other = await openStore(app, 'enterprise', 'two')
    gate.open()
    const theirs = await watch(await startBulk(app, other.token, productsOf(app, 1, 'two')), other.token)
    expect(theirs.status).toBe(200)
    await streams[0]?.cancel()
    expect((await watch(id)).status).toBe(200)
  })

  test('streams end when the service stops', async () => {
    gate.close()
    const stream = await watch(await startBulk(app, token, productsOf(app, 1)))
    app.jobs.stop()
    expect(await stream.rest()).toContain('event: progress')
  })
})
