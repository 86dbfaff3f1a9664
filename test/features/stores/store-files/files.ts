import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExportOptions } from '../../../../src/features/stores/store-files/export.ts'
import type { ImportOptions } from '../../../../src/features/stores/store-files/import.ts'
import { createPictureFiles } from '../../../../src/platform/pictures/kept.ts'
import { form, pictureBytes, type TestApp } from '../../../support/app.ts'
import { somebody } from '../team/team.ts'

export const PASSPHRASE = 'four words of a song'

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'lookalike-store-file-'))

const filesOf = (app: TestApp) => createPictureFiles(app.folder, Bun.randomUUIDv7, { isShared: true })

/** Writes a store to a new file, as the command does. */
export async function write(
  app: TestApp,
  folder: string,
  options: Partial<ExportOptions> = {},
  slug = 'one',
) {
  const path = join(folder, `${Bun.randomUUIDv7()}.store`)
  const report = await app.storeFiles.write(slug, path, { files: filesOf(app), ...options })
  return { path, report }
}

/** Brings a store in, as the command does. */
export const read = (app: TestApp, path: string, options: Partial<ImportOptions> = {}) =>
  app.storeFiles.read(path, {
    files: filesOf(app),
    hasNewKeys: false,
    isServed: true,
    ownModelHash: undefined,
    roomBytes: 1e9,
    pause: async () => {},
    ...options,
  })

/** Runs what the running service does every second. */
export const openArrived = async (app: TestApp): Promise<void> => {
  for (const { name, run } of app.chores) if (name === 'opening stores that were brought in') await run()
}

export const asClient = async (app: TestApp, client_id: string, client_secret: string): Promise<string> => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  return String((await app.call('POST', '/oauth/token', { body })).body['access_token'])
}

/** Fills the store `one` with something of everything that travels. */
export async function fillStore(app: TestApp) {
  const token = await app.signIn('one')
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await app.call(method, path, { token, ...(body !== undefined && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  for (let n = 0; n < 6; n++)
    await call('POST', '/v1/products', {
      product_id: `p${n}`,
      image_url: app.picture(`p${n}`, n % 3),
      metadata: {
        name: `Mug ${n}`,
        category: 'Mugs',
        price: n,
        category_path: ['Kitchen', 'Kitchen > Mugs'],
      },
    })
  await call(
    'POST',
    '/v1/products',
    form({ product_id: 'kept', image: pictureBytes(5), metadata: JSON.stringify({ name: 'Kept' }) }),
  )
  await call('PATCH', '/v1/store/settings', { shop_url: 'https://shop.test', time_zone: 'Europe/Vienna' })
  const widget = await call('POST', '/v1/security/public-keys', {
    name: 'Shop',
    origins: ['https://shop.test'],
  })
  const webhook = await call('POST', '/v1/search/webhooks', {
    url: 'https://hooks.test/one',
    events: ['product.indexed'],
  })
  const feed = await call('POST', '/v1/feeds', { url: 'https://me:secret@feeds.test/products.csv' })
  await call('POST', '/v1/search/checks', { name: 'Mugs', query: 'mug', expect: ['p1'], within: 5 })
  await call('PUT', '/v1/store/words', {
    synonyms: [{ words: ['sofa', 'couch'] }, { words: ['tee'], to: ['shirt'] }],
    redirects: [{ words: 'returns', url: '/returns' }],
    ignore: ['cheap'],
  })
  await call('POST', '/v1/store/rules', {
    name: 'Mugs first',
    when: { words: ['mug'], key_id: widget['id'] },
    then: [{ action: 'pin', product_id: 'p1', position: 1 }],
  })
  const owner = await somebody(app, 'olga', { one: 'owner' })
  const dev = await somebody(
    app,
    'dora',
    { one: 'developer' },
    { groups: [['products:read', 'search:execute']] },
  )
  const key = await dev.send('POST', '/v1/security/api-keys', {
    name: 'Sync',
    scopes: { products: ['read'] },
  })
  return { token, widget, webhook, feed, owner, dev, apiKey: String(key.body['key']), key }
}
