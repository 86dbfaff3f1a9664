import { withInstall } from '../../../src/commands/service/with-install.ts'
import { loadConfig } from '../../../src/config.ts'
import { connect } from '../../../src/platform/db/open.ts'
import { MODEL_DIR } from '../../bench/parts/options.ts'
import { readToken } from '../../bench/parts/process.ts'
import { type Credentials, seedStore } from '../../bench/parts/seed.ts'
import type { ScaleNode } from './node.ts'

/** The slug that a seeded store has. */
const SLUG = 'bench-0'
export const ORIGIN = 'https://shop.test'
const MEMBER = { email: 'owner@shop.test', password: 'a long password for drills' }

/** A store of many products with everything that a drill uses: a backend, an API key, a widget, a member, a webhook. */
export interface Shop {
  id: string
  slug: string
  products: number
  credentials: Credentials
  member: { email: string; password: string }
  widgetKey: string
  /** Set once its node has started. */
  apiKey: string
}

/** Fills the data folder of a node that does not run: a store of so many products with chance vectors, and a super-admin's own store. */
export async function seedShop(node: ScaleNode, products: number): Promise<Shop> {
  const credentials = seedStore(node.dataDir, MODEL_DIR, products)
  const config = loadConfig({}, { 'data-dir': node.dataDir })
  const account = {
    email: 'operator@node.test',
    password: MEMBER.password,
    storeName: 'Operations',
    isAnother: true,
  }
  const id = credentials.client_id
  const widgetKey = await withInstall(config, async ({ setup, widgetKeys }) => {
    await setup.run(account)
    await setup.run({ ...account, ...MEMBER, storeName: 'Side shop', isAnother: true })
    const { key } = widgetKeys.createForOperator(id, 'widget', [ORIGIN])
    return String(key)
  })
  const db = connect(node.dataDir)
  try {
    db.prepare(
      `INSERT INTO memberships (user_id, store_id, role, created_at)
         SELECT id, ?, 'owner', ? FROM users WHERE email = ?`,
    ).run(id, BigInt(Date.now()), MEMBER.email)
    // Their pictures are nowhere, and the tries to make thumbnails of them would be all that the node does.
    db.exec('UPDATE pictures SET thumbnail = 0')
  } finally {
    db.close()
  }
  return { id, slug: SLUG, products, credentials, member: MEMBER, widgetKey, apiKey: '' }
}

/** Gives another node a super-admin with a store of its own, so that it is an install. */
export async function seedEmpty(node: ScaleNode): Promise<void> {
  const config = loadConfig({}, { 'data-dir': node.dataDir })
  const account = {
    email: 'operator@node.test',
    password: MEMBER.password,
    storeName: 'Operations',
    isAnother: true,
  }
  await withInstall(config, ({ setup }) => setup.run(account), { mayMake: true })
}

/** The first copy of a large database keeps the drill's object store from renewing a lease in time, and writes wait. */
const WRITABLE_MS = 600_000

/** Makes the API key of a store whose node runs, and its webhook. */
export async function openShop(shop: Shop, node: ScaleNode, webhook?: string): Promise<void> {
  const token = await readToken(node.address, shop.credentials)
  const deadline = performance.now() + WRITABLE_MS
  const post = async (path: string, body: unknown) => {
    const send = () =>
      fetch(node.address + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    let response = await send()
    while (response.status === 503 && performance.now() < deadline) {
      await Bun.sleep(500)
      response = await send()
    }
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  const scopes = { products: ['read', 'write', 'delete'], search: ['execute', 'read'] }
  const made = await post('/v1/security/api-keys', { name: 'drill', scopes })
  shop.apiKey = String(made['key'])
  if (webhook)
    await post('/v1/search/webhooks', { url: webhook, events: ['product.updated', 'product.indexed'] })
}
