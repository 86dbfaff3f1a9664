import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { openStore } from '../../../support/storage.ts'
import { countsOf, startBulk, waitForJob } from './jobs.ts'

let app: TestApp
/** Ends everything that hangs. */
let release: () => void
/** Hosts in the order in which they were asked. */
let asked: string[]
/** Pictures that wait for the model, in the order of their arrival. */
let embedding: { storeId: string; go: () => void }[]
let isModelHeld: boolean

beforeEach(() => {
  asked = []
  embedding = []
  isModelHeld = false
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {})
  release = () => ended.reject(timeout('hangs.test'))
  const fake = fakeEmbedder()
  app = testApp({
    embedder: {
      ...fake,
      async embedPicture(bytes, options) {
        if (isModelHeld) {
          await new Promise<void>((go) => embedding.push({ storeId: options.storeId, go }))
        }
        return fake.embedPicture(bytes, options)
      },
    },
    fetcher: {
      async fetch(url) {
        const host = new URL(url).hostname
        asked.push(host)
        if (host.endsWith('hangs.test')) return ended.promise
        if (host === 'late.test') throw timeout(host)
        return pictureBytes(Number(url.at(-1)))
      },
    },
  })
})
afterEach(async () => {
  app.jobs.stop()
  isModelHeld = false
  for (const { go } of embedding) go()
  release()
  await app.jobs.drain()
  await app.close()
})

const timeout = (url_host: string) =>
  new ApiError('image_download_failed', 'The server did not answer in time', {
    details: { reason: 'timeout', url_host },
  })

/** Products with so many pictures each, from hosts that are named after their numbers. */
const productsFrom = (host: string, count: number, pictures = 1) =>
  Array.from({ length: count }, (_, n) => ({
    product_id: `p${n}`,
    image_url: `https://h${n}.${host}/0`,
    additional_image_urls: Array.from({ length: pictures - 1 }, (_, m) => `https://h${n}.${host}/${m + 1}`),
  }))

/** Products whose pictures come with them, of some KiB. */
const productsWith = (count: number, kib = 1) =>
  Array.from({ length: count }, (_, n) => {
    const bytes = Buffer.concat([pictureBytes(n % 8), Buffer.alloc(kib * 1024, ' ')])
    return { product_id: `p${n}`, image_url: `data:image/jpeg;base64,${bytes.toString('base64')}` }
  })

/** Four stores with jobs whose servers hang. */
async function misuse(): Promise<void> {
  for (const name of ['bad-a', 'bad-b', 'bad-c', 'bad-d']) {
    const { token } = await openStore(app, 'free', name)
    for (let n = 0; n < 2; n++) {
      app.clock.advance(6_001)
      await startBulk(app, token, productsFrom('hangs.test', 50))
    }
  }
  expect(asked.length).toBeGreaterThanOrEqual(4 * 8)
}

const DONE = {
  status: 'completed',
  processed: 5,
  succeeded: 5,
  unchanged: 0,
  failed: 0,
  cancelled: 0,
  total: 5,
}

describe('while the servers of four stores hang, the job of another store is done', () => {
  test.each([
    ['with one picture for each product', () => productsFrom('works.test', 5)],
    ['with four pictures for each product', () => productsFrom('works.test', 5, 4)],
    ['with pictures inside the request', () => productsWith(5)],
  ])('%s', async (_, products) => {
    await misuse()
    const { token, storeId } = await openStore(app, 'free', 'late')
    const id = await startBulk(app, token, products())
    expect(countsOf(await waitForJob(app, storeId, token, id))).toEqual(DONE)
  })

  test('and what downloads nothing passes by the downloads of its own store', async () => {
    const { token, storeId } = await openStore(app, 'free', 'mixed')
    await startBulk(app, token, productsFrom('hangs.test', 30))
    const inside = productsWith(5).map((product) => ({ ...product, product_id: `x${product.product_id}` }))
    const id = await startBulk(app, token, inside)
    expect(countsOf(await waitForJob(app, storeId, token, id))).toEqual(DONE)
  })
})

test('a heavy item reserves what falls free: no number of light ones of others keeps it waiting', async () => {
  isModelHeld = true
  const stores: string[] = []
  for (const name of ['bad-a', 'bad-b', 'bad-c', 'bad-d']) {
    const { token, storeId } = await openStore(app, 'enterprise', name)
    stores.push(storeId)
    await startBulk(app, token, productsWith(40))
  }
  const { token, storeId } = await openStore(app, 'enterprise', 'heavy')
  const settled = async (count: number) => {
    while (embedding.length < count) await new Promise(setImmediate)
  }
  await settled(9)
  const begun = embedding.length
  // Weighs 4 + 4 of 8.
  await startBulk(app, token, productsWith(1, 1_600))
  const isHere = () => embedding.some((picture) => picture.storeId === storeId)
  let ended = 0
  while (!isHere() && ended < 30) {
    embedding[ended++]?.go()
    // Long enough for an item to be written, and for others to begin.
    await Promise.race([settled(begun + ended), Bun.sleep(50)])
  }
  expect(isHere()).toBe(true)
  expect(ended).toBeLessThan(20)
}, 20_000)

test('a host that has timed out three times puts its items behind the others of its job', async () => {
  const { token } = await openStore(app, 'free', 'one')
  const late = productsFrom('x', 45).map((product) => ({ ...product, image_url: 'https://late.test/0' }))
  const good = productsFrom('works.test', 5).map((product, n) => ({ ...product, product_id: `good${n}` }))
  await startBulk(app, token, [...late, ...good])
  while (asked.filter((host) => host.endsWith('works.test')).length < 5) await new Promise(setImmediate)
  // Those behind them may have been asked since, too.
  const until = asked.findLastIndex((host) => host.endsWith('works.test'))
  expect(asked.slice(0, until).filter((host) => host === 'late.test').length).toBeLessThan(20)
})
