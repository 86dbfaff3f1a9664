import type { FoundModel, MoveWorld } from '../../../../src/features/catalogue/model-moves/world.ts'
import type { Embedder } from '../../../../src/platform/embedder/embedder.ts'
import { createPictureFiles } from '../../../../src/platform/pictures/kept.ts'
import type { Ports } from '../../../../src/ports.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'

const OLD = { name: 'fake', hash: 'f'.repeat(64), dimension: 8 }
export const NEXT = { name: 'next', hash: 'e'.repeat(64), dimension: 16 }
export const THIRD = { name: 'third', hash: 'd'.repeat(64), dimension: 8 }

const found = (model: typeof OLD): FoundModel => ({
  ...model,
  ...{ dir: `/models/${model.name}`, bytes: 1_000_000, isBundled: model.name === OLD.name },
})

/** Models with what they were asked to embed. */
export interface Models {
  /** Names of the models, one for each picture. */
  embedded: string[]
  /** Stands in for a model. */
  stand: (model: string, embedder: Embedder) => Embedder
}

function openFake(models: Models, { name, hash, dimension }: typeof OLD): Embedder {
  const fake = fakeEmbedder({ id: name, hash, dimension })
  return models.stand(name, {
    ...fake,
    async embedPicture(bytes, options) {
      models.embedded.push(name)
      return fake.embedPicture(bytes, options)
    },
  })
}

const KNOWN = [OLD, NEXT, THIRD]
const byName = (name: string) => KNOWN.find((model) => model.name === name) ?? OLD

function movePorts(models: Models, world: Partial<MoveWorld> = {}): Partial<Ports> {
  return {
    openModel: ({ name }) => openFake(models, byName(name)),
    moveWorld: {
      find: async (name) => KNOWN.filter((model) => model.name === name).map(found)[0],
      findFolder: ({ dir }) => dir ?? undefined,
      machine: { readFreeDiskBytes: async () => 1e12, readFreeMemoryBytes: () => 1e12 },
      ...{ isDirSet: false, isChosen: false, dir: '/models/fake' },
      ...world,
    },
  }
}

/** An install with three models, of which the first one is in use. */
export function openInstall(world: Partial<MoveWorld> = {}, ports: Partial<Ports> = {}) {
  const models: Models = { embedded: [], stand: (_, embedder) => embedder }
  const app = testApp({ embedder: openFake(models, OLD), ...movePorts(models, world), ...ports })
  return { app, models }
}

/** The same install, started again with the model that it used last. */
export function startAgain(app: TestApp, models: Models, world: Partial<MoveWorld> = {}): TestApp {
  const name = app.db
    .prepare('SELECT name FROM model_state JOIN models ON models.id = in_use')
    .pluck()
    .get() as string
  const later = testApp({
    db: app.db,
    files: createPictureFiles(app.folder, () => app.ids.uuid()),
    embedder: openFake(models, byName(name)),
    ...movePorts(models, { isChosen: name !== OLD.name, dir: `/models/${name}`, ...world }),
  })
  for (const [url, bytes] of app.web) later.web.set(url, bytes)
  later.clock.advance(app.clock.now() - later.clock.now())
  later.loadIndex()
  return later
}

/** Does all that is due now. */
export async function work(app: TestApp): Promise<void> {
  await app.modelMoves.wake()
  await app.modelMoves.drain()
}

/** Goes on until no move runs. */
export async function finish(app: TestApp, seconds = 100): Promise<void> {
  for (let n = 0; n < seconds; n++) {
    await work(app)
    await clean(app)
    if (app.modelMoves.status().move?.state !== 'running') return
    app.clock.advance(1_000)
  }
  throw new Error(`The move does not end: ${JSON.stringify(app.modelMoves.status())}`)
}

/** Deletes vectors of former models, as far as a second goes. */
export const clean = async (app: TestApp): Promise<void> => {
  await app.chores.find(({ name }) => name === 'deleting the vectors of former models')?.run()
}

export async function fill(app: TestApp, token: string, count: number, prefix = 'p'): Promise<void> {
  for (let n = 0; n < count; n++) {
    const body = {
      product_id: `${prefix}${n}`,
      image_url: app.picture(`${prefix}${n}`, n),
      metadata: { name: `Thing ${prefix}${n}` },
    }
    const { status } = await app.call('POST', '/v1/products', { token, body })
    if (status !== 201) throw new Error(`Answer ${status}`)
  }
}

export const storeOf = (app: TestApp, slug = 'one'): string =>
  app.db.prepare('SELECT id FROM stores WHERE slug = ?').pluck().get(slug) as string

export const tokenFor = (app: TestApp, slug = 'one'): Promise<string> =>
  app.signToken({ sub: storeOf(app, slug), jti: `move-${slug}`, user_type: 'client' }, 3600)

/** The products that a search by words finds, the best first. */
export async function search(app: TestApp, query: string, slug = 'one', limit = 1): Promise<string[]> {
  const body = { query, limit }
  const answer = await app.call('POST', '/v1/search/text', { token: await tokenFor(app, slug), body })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return (answer.body as unknown as { results: { product_id: string }[] }).results.map(
    ({ product_id }) => product_id,
  )
}

export const countRows = (app: TestApp, table: string): number =>
  app.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
