import { withInstall } from '../../../src/commands/runtime.ts'
import { loadConfig } from '../../../src/config.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { systemIds } from '../../../src/core/ids.ts'
import { productQueries } from '../../../src/features/catalogue/products/queries.ts'
import { registerModel } from '../../../src/platform/db/models.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { createEmbedder } from '../../../src/platform/embedder/child-embedder.ts'
import { ownCommand } from '../../../src/platform/native/own-command.ts'

export interface Credentials {
  client_id: string
  client_secret: string
}

/** Generates random unit vectors of 512 dimensions, the same in every run. */
export function* generateVectors(count: number): Generator<Float32Array> {
  let state = 1
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  for (let n = 0; n < count; n++) {
    const vector = new Float32Array(512).map(next)
    const length = Math.hypot(...vector)
    yield vector.map((value) => value / length)
  }
}

/** Creates an install with one store and `count` products, written through the queries of the service. */
export async function seedStore(folder: string, modelDir: string, count: number): Promise<Credentials> {
  const account = { email: 'bench@shop.test', password: 'a long password', storeName: 'Bench' }
  const config = loadConfig({}, { 'data-dir': folder })
  const store = await withInstall(config, ({ accounts }) => accounts.setup(account), { mayMake: true })
  const db = openDatabase(folder)
  const embedder = createEmbedder({
    modelDir,
    command: ownCommand('embedder-process'),
    inferenceThreads: 1,
    log: { info() {}, warn() {}, error() {} },
  })
  const { row, vectors } = registerModel(db, embedder.model, systemClock.now())
  await embedder.close()
  const queries = productQueries(db, vectors, row)
  const facts = { width: 800, height: 1000, contentType: 'image/jpeg', phash: '0'.repeat(16), palette: [] }
  db.transaction(() => {
    let n = 0
    for (const vector of generateVectors(count)) {
      n++
      const imageUrl = `https://shop.test/${n}.jpg`
      const metadata = {
        name: `Product ${n}`,
        category: `category ${n % 20}`,
        price: n % 100,
        color_name: 'red',
        brand: 'Acme',
      }
      const product = {
        storeId: store.store_id,
        productId: `sku-${n}`,
        vectorId: systemIds.uuid(),
        imageUrl,
        metadata,
        isDemo: false,
        now: systemClock.now(),
      }
      queries.save(product, [
        { added: { ...facts, imageUrl, contentHash: Buffer.from(`${n}`), bytes: 1 }, vector },
      ])
    }
  })()
  db.close()
  return store
}
