import sharp from 'sharp'
import { withInstall } from '../../../src/commands/service/with-install.ts'
import { loadConfig } from '../../../src/config.ts'
import { type Client, type MeasuredService, startMeasuredService } from '../parts/process.ts'
import type { Credentials } from '../parts/seed.ts'
import type { Answer, Reference } from './judge.ts'

/** Changing products are so few of a store that what it measures over all its pictures, such as the scale of words, stays the same. */
const EXTRAS = { share: 1 / 250, max: 20 }
const LIMIT = 10
const SIDE = 96
const CELLS = 6
const SHADES = ['red', 'green', 'blue', 'yellow', 'white', 'black', 'orange', 'purple']
const KINDS = ['mug', 'shoe', 'lamp', 'chair', 'bag', 'vase', 'watch', 'scarf', 'bowl', 'clock']

/** A store of the drill. Its products `fixed-N` never change; those of the group `extra`, if it has any, change all the time. */
export interface Shop {
  name: string
  products: number
  extras: number
  credentials: Credentials
}

/** The service of the drill, which is killed and started again: what searches and writes takes the present one. */
export interface Stage {
  dataDir: string
  executable: string | undefined
  /** Where pictures come from. */
  pictures: string
  service: MeasuredService | undefined
  clients: Map<string, Client>
}

export async function createShop(
  dataDir: string,
  name: string,
  { products, changes }: { products: number; changes: boolean },
): Promise<Shop> {
  const account = {
    email: `${name}@shop.test`,
    password: 'a long password',
    storeName: name,
    isAnother: true,
  }
  const config = loadConfig({}, { 'data-dir': dataDir })
  const made = await withInstall(config, ({ setup }) => setup.run(account), { mayMake: true })
  const extras = changes ? Math.min(EXTRAS.max, Math.ceil(EXTRAS.share * products)) : 0
  return { name, products, extras, credentials: made }
}

/** Draws the picture of a number: soft cells of chance colours, the same in each run. */
async function drawPicture(seed: string): Promise<Uint8Array<ArrayBuffer>> {
  const cells = new Uint8Array(CELLS * CELLS * 3).map((_, n) =>
    Number(BigInt(Bun.hash(`${seed} ${n}`)) & 255n),
  )
  const picture = sharp(cells, { raw: { width: CELLS, height: CELLS, channels: 3 } })
  return new Uint8Array(
    await picture.resize(SIDE, SIDE, { kernel: 'cubic' }).jpeg({ quality: 85 }).toBuffer(),
  )
}

/** Serves every picture under its seed. */
export const servePictures = () =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) =>
      new Response(await drawPicture(new URL(request.url).pathname.slice(1)), {
        headers: { 'content-type': 'image/jpeg' },
      }),
  })

export async function start(stage: Stage, shops: readonly Shop[]): Promise<void> {
  const settings = { FETCH_ALLOW_CIDRS: '127.0.0.0/8', OFFLINE: '1' }
  stage.service = await startMeasuredService(stage.dataDir, stage.executable, settings)
  stage.clients = new Map()
  for (const { name, credentials } of shops) stage.clients.set(name, await stage.service.signIn(credentials))
}

/** Ends the service like a power cut. */
export async function kill({ service }: Stage): Promise<void> {
  if (!service) return
  process.kill(service.pid, 'SIGKILL')
  await service[Symbol.asyncDispose]()
}

/** Indexes the products of a store by a bulk job, and waits for its end. */
export async function fill(stage: Stage, { name, products, extras }: Shop): Promise<void> {
  const client = clientOf(stage, name)
  const all = [
    ...Array.from({ length: products }, (_, n) => describe(stage, name, 'fixed', n, 0)),
    ...Array.from({ length: extras }, (_, n) => describe(stage, name, 'extra', n, 0)),
  ]
  for (let from = 0; from < all.length; from += 1_000) {
    const { job_id: job } = await client.call('POST', '/v1/products/bulk', {
      products: all.slice(from, from + 1_000),
    })
    for (;;) {
      const { status, failed } = await client.call('GET', `/v1/jobs/${job}`)
      if (status === 'completed' && failed === 0) break
      if (status !== 'processing') throw new Error(`The job ended as ${status}, ${failed} failed`)
      await Bun.sleep(250)
    }
  }
}

const describe = (
  { pictures }: Stage,
  shop: string,
  group: 'fixed' | 'extra',
  n: number,
  version: number,
) => ({
  product_id: `${group}-${n}`,
  image_url: `${pictures}/${shop}-${group}-${n}-${version}`,
  // What changes shares no words and no category with what is searched, so the searches of one model always answer the same.
  metadata:
    group === 'extra'
      ? { name: `Item ${n}`, category: 'others', group }
      : {
          name: `${SHADES[n % SHADES.length]} ${KINDS[n % KINDS.length]} ${n}`,
          category: KINDS[n % KINDS.length],
          group,
        },
})

/** Gives one of the products that change another picture. @returns its number once the service has promised to keep it. */
export async function change(stage: Stage, { name, extras }: Shop, version: number): Promise<number> {
  const n = version % extras
  await clientOf(stage, name).call('POST', '/v1/products', describe(stage, name, 'extra', n, version))
  return n
}

/** How many searches differ from each other. */
export const QUERIES = 16

interface Found {
  answer: Answer
  /** Whether the service said that it has just started and does not know all words yet, as after every start. */
  isStarting: boolean
}

/** A search for the products that never change: by words in even turns, by a picture in odd ones. */
export async function search(stage: Stage, shop: string, query: number): Promise<Found> {
  const filters = [{ field: 'group', operator: 'eq', value: 'fixed' }]
  const fields = { filters, limit: LIMIT, analytics: false }
  const words = `${SHADES[query % SHADES.length]} ${KINDS[(query >> 1) % KINDS.length]}`
  const client = clientOf(stage, shop)
  const found =
    query % 2 === 0
      ? await client.search('text', { query: words, ...fields })
      : await client.searchLike({ image: toBase64(await drawPicture(`query-${query}`)), ...fields })
  return { answer: readHits(found), isStarting: isStarting(found) }
}

/** The answers to all searches, one after the other. */
export async function askAll(stage: Stage, shop: string): Promise<Reference> {
  const answers: Answer[] = []
  for (let query = 0; query < QUERIES; query++) answers.push((await search(stage, shop, query)).answer)
  return answers
}

/** Whether a search by the last picture of a product that changes finds it among the first five. */
export async function isFound(stage: Stage, shop: string, n: number, version: number): Promise<boolean> {
  const image = toBase64(await drawPicture(`${shop}-extra-${n}-${version}`))
  const filters = [{ field: 'group', operator: 'eq', value: 'extra' }]
  const found = readHits(
    await clientOf(stage, shop).searchLike({ image, filters, limit: 5, analytics: false }),
  )
  return found.some(({ id }) => id === `extra-${n}`)
}

function clientOf({ clients }: Stage, shop: string): Client {
  const client = clients.get(shop)
  if (!client) throw new Error(`Nobody has signed in for ${shop}`)
  return client
}

const isStarting = (answer: unknown): boolean =>
  ((answer as { warnings?: string[] }).warnings ?? []).some((text) => text.includes('has just started'))

function readHits(answer: unknown): Answer {
  const { results } = answer as { results: { product_id: string; similarity_score: number }[] }
  return results.map(({ product_id, similarity_score }) => ({ id: product_id, score: similarity_score }))
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
