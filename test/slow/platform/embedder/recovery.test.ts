import { afterEach, describe, expect, test } from 'bun:test'
import type { ChildEmbedder, ChildEmbedderOptions } from '../../../../src/platform/embedder/child-embedder.ts'
import { INDEX, refusalOf, SEARCH, startEmbedder } from '../../../platform/embedder/bundled.ts'
import { blackPng, cosine, encodeJpeg } from '../../../platform/embedder/pictures.ts'

const running: ChildEmbedder[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((embedder) => embedder.close()))
})

async function ready(options: Partial<ChildEmbedderOptions> = {}): Promise<ChildEmbedder> {
  const { embedder } = startEmbedder(options)
  running.push(embedder)
  expect(await embedder.settled()).toEqual({ state: 'ready' })
  return embedder
}

const pictures = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, seed) => encodeJpeg(160, 160, seed + 1)))

describe('a process that is killed', () => {
  test('pictures that were in it together are all answered, by a new process', async () => {
    const embedder = await ready()
    const [killed] = embedder.pids().vision
    const files = await pictures(6)
    const answers = files.map((bytes) => embedder.embedPicture(bytes, INDEX))
    process.kill(killed ?? 0, 'SIGKILL')
    const results = await Promise.all(answers)
    expect(embedder.pids().vision).not.toContain(killed as number)
    const again = await embedder.embedPicture(files[3] ?? new Uint8Array(), SEARCH)
    expect(cosine(results[3]?.vector ?? new Float32Array(), again.vector)).toBeGreaterThan(0.98)
  }, 30_000)

  test('a picture whose work had not begun is answered by the next one', async () => {
    const embedder = await ready()
    const [file] = await pictures(1)
    const answer = embedder.embedPicture(file ?? new Uint8Array(), SEARCH)
    process.kill(embedder.pids().vision[0] ?? 0, 'SIGKILL')
    expect((await answer).vector.length).toBe(512)
  }, 30_000)

  test('texts go on while the process for pictures is away', async () => {
    const embedder = await ready()
    process.kill(embedder.pids().vision[0] ?? 0, 'SIGKILL')
    const texts = await Promise.all(
      ['red', 'green', 'blue'].map((text) => embedder.embedText(text, 'search')),
    )
    expect(texts.length).toBe(3)
    expect(embedder.status()).toEqual({ state: 'ready' })
  }, 30_000)

  test('the text process comes back too', async () => {
    const embedder = await ready()
    const [killed] = embedder.pids().text
    const answers = ['red', 'green', 'blue'].map((text) => embedder.embedText(text, 'search'))
    process.kill(killed ?? 0, 'SIGKILL')
    expect((await Promise.all(answers)).length).toBe(3)
    expect(embedder.pids().text).not.toContain(killed as number)
  }, 30_000)
})

describe('limits', () => {
  test('many pictures of 50 megapixels are all embedded, and a small one of another store does not wait for them', async () => {
    const embedder = await ready()
    const [small] = await pictures(1)
    let isDone = false
    const giants = Array.from({ length: 6 }, () => embedder.embedPicture(blackPng(7000, 7100), INDEX))
    const all = Promise.all(giants).finally(() => {
      isDone = true
    })
    const other = { priority: 'search', storeId: 'other' } as const
    expect((await embedder.embedPicture(small ?? new Uint8Array(), other)).vector.length).toBe(512)
    expect(isDone).toBe(false)
    for (const { facts } of await all) expect(facts).toMatchObject({ width: 7000, height: 7100 })
  }, 60_000)

  test('a process that uses too much memory is ended, and the status says why', async () => {
    const { embedder, log } = startEmbedder({ limits: { memoryBytesMax: 40 * 1024 * 1024 } })
    running.push(embedder)
    const status = await embedder.settled()
    expect(status.state).toBe('failed')
    expect(JSON.stringify(status)).toContain('too much memory')
    expect(log).toContain('warn: embedder process ended')
  }, 60_000)

  test('a full line answers `overloaded` with a time to wait, and keeps a quarter for searches', async () => {
    const embedder = await ready({ limits: { picturesMax: 8 } })
    const files = await pictures(10)
    const indexed = await Promise.allSettled([
      ...files.map((bytes) => embedder.embedPicture(bytes, INDEX)),
      ...files.map((bytes) => embedder.embedPicture(bytes, SEARCH)),
    ])
    const states = indexed.map((outcome) => (outcome.status === 'fulfilled' ? 'ok' : outcome.reason.code))
    expect(states.slice(0, 10)).toEqual([...Array(6).fill('ok'), ...Array(4).fill('overloaded')])
    expect(states.slice(10)).toEqual([...Array(2).fill('ok'), ...Array(8).fill('overloaded')])
    const refused = indexed.find((outcome) => outcome.status === 'rejected')
    expect(refused?.reason.extras.retryAfterSeconds).toBeGreaterThan(0)
  }, 30_000)

  test('the bytes held are bounded as well', async () => {
    const embedder = await ready({ limits: { pictureBytesMax: 1000 } })
    const [file] = await pictures(1)
    expect((await refusalOf(embedder.embedPicture(file ?? new Uint8Array(), SEARCH))).code).toBe('overloaded')
  }, 30_000)

  test('too many texts at once are refused, not kept', async () => {
    const embedder = await ready({ limits: { textsMax: 4 } })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) => embedder.embedText(`shoe ${i}`, 'search')),
    )
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array(4).fill('fulfilled'),
      ...Array(2).fill('rejected'),
    ])
  }, 30_000)
})

test('a search overtakes the pictures that wait for indexing', async () => {
  const embedder = await ready()
  const files = await pictures(30)
  const order: string[] = []
  const note = (name: string) => () => void order.push(name)
  const indexing = files.map((bytes) => embedder.embedPicture(bytes, INDEX).then(note('index')))
  await embedder.embedPicture(files[0] ?? new Uint8Array(), SEARCH).then(note('search'))
  await Promise.all(indexing)
  // What was in the process already may go first: at most a window of 6.
  expect(order.indexOf('search')).toBeLessThan(8)
}, 30_000)

describe('stopping', () => {
  test('waiting calls end with `model_not_ready`, new ones as well, and no process is left', async () => {
    const embedder = await ready()
    const { text, vision } = embedder.pids()
    const waiting = refusalOf(embedder.embedPicture(await encodeJpeg(200, 200), SEARCH))
    await embedder.close()
    expect((await waiting).code).toBe('model_not_ready')
    expect((await refusalOf(embedder.embedText('shoes', 'search'))).code).toBe('model_not_ready')
    for (const pid of [...text, ...vision]) expect(() => process.kill(pid, 0)).toThrow()
  }, 30_000)

  test('calls that wait for a starting model end with `model_not_ready`', async () => {
    const { embedder } = startEmbedder()
    running.push(embedder)
    const waiting = refusalOf(embedder.embedText('shoes', 'search'))
    await embedder.close()
    expect((await waiting).code).toBe('model_not_ready')
  }, 30_000)
})

describe('a model that is starting', () => {
  test('calls wait for it and are answered', async () => {
    const { embedder } = startEmbedder()
    running.push(embedder)
    expect(embedder.status()).toEqual({ state: 'starting' })
    const answers = [
      embedder.embedText('shoes', 'search'),
      embedder.embedPicture(await encodeJpeg(160, 160), SEARCH),
    ]
    expect(embedder.queueDepth().texts).toBe(1)
    for (const { vector } of await Promise.all(answers)) expect(vector.length).toBe(512)
  }, 30_000)

  test('calls that have waited too long are answered `model_not_ready` with a time to wait', async () => {
    const { embedder } = startEmbedder({ limits: { waitMs: 1 } })
    running.push(embedder)
    const refusal = await refusalOf(embedder.embedText('shoes', 'search'))
    expect(refusal.code).toBe('model_not_ready')
    expect(refusal.extras.retryAfterSeconds).toBeGreaterThan(0)
    expect(await embedder.settled()).toEqual({ state: 'ready' })
    expect((await embedder.embedText('shoes', 'search')).vector.length).toBe(512)
  }, 30_000)

  test('the line before it is bounded', async () => {
    const { embedder } = startEmbedder({ limits: { textsMax: 1 } })
    running.push(embedder)
    const first = embedder.embedText('shoes', 'search')
    expect((await refusalOf(embedder.embedText('hats', 'search'))).code).toBe('overloaded')
    expect((await first).vector.length).toBe(512)
  }, 30_000)

  test('a model that has failed refuses at once, and so are those that waited for it', async () => {
    const { embedder } = startEmbedder({
      limits: { memoryBytesMax: 40 * 1024 * 1024, waitMs: 3_600_000 },
    })
    running.push(embedder)
    const waiting = refusalOf(embedder.embedText('shoes', 'search'))
    expect((await embedder.settled()).state).toBe('failed')
    expect((await waiting).code).toBe('model_not_ready')
    expect((await refusalOf(embedder.embedText('shoes', 'search'))).code).toBe('model_not_ready')
  }, 60_000)
})
