import pino from 'pino'
import { createApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import { systemClock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { systemIds } from '../core/ids.ts'
import { openDatabase } from '../platform/db/open.ts'
import type { Embedder } from '../platform/embedder/embedder.ts'
import type { WorkFiles } from '../platform/work-files.ts'
import type { Command } from './cli/command.ts'
import { findAddress } from './service/addresses.ts'

const refuse = (): never => {
  throw new ApiError('model_not_ready', 'This process only creates the document')
}

const UNUSED_SECRET = 'this never signs or encrypts anything'

/** The document needs routes and schemas, but neither a model nor a disk. */
const noEmbedder: Embedder = {
  model: { id: 'none', hash: 'none', dimension: 1 },
  calibration: { image_image: { midpoint: 0, slope: 1 }, text_image: { midpoint: 0, slope: 1 } },
  status: () => ({ state: 'starting' }),
  announcePicture: () => () => {},
  embedPicture: async () => refuse(),
  seePicture: async () => refuse(),
  embedText: async () => refuse(),
  close: async () => {},
}

const noFiles: WorkFiles = {
  create: async () => refuse(),
  read: async () => refuse(),
  readNow: refuse,
  pieces: () => refuse(),
  remove: async () => {},
  list: async () => [],
}

/**
 * Creates the OpenAPI document, as served at `/openapi.json`.
 *
 * @param baseUrl the public address of the service.
 */
export async function createOpenApiDocument(baseUrl: string): Promise<unknown> {
  const db = openDatabase(':memory:')
  const app = createApp(loadConfig({}), () => baseUrl, {
    tokenSecret: UNUSED_SECRET,
    dataSecret: UNUSED_SECRET,
    mailer: { isConfigured: false, send: async () => refuse() },
    poster: {
      check: () => {},
      resolve: async () => refuse(),
      post: async () => refuse(),
      isStopping: () => true,
    },
    db,
    clock: systemClock,
    ids: systemIds,
    log: pino({ level: 'silent' }),
    embedder: noEmbedder,
    shelf: { list: async () => [], find: async () => undefined, remove: async () => refuse() },
    fetchModel: async () => refuse(),
    openModel: refuse,
    openNode: refuse,
    moveWorld: {
      find: async () => undefined,
      findFolder: () => undefined,
      machine: { readFreeDiskBytes: async () => 0, readFreeMemoryBytes: () => 0 },
      isDirSet: false,
      isChosen: false,
      dir: '',
    },
    budget: createByteBudget(),
    fetcher: { fetch: async () => refuse() },
    downloads: { check: () => {}, download: async () => refuse(), join: async () => refuse() },
    pages: { read: async () => refuse(), probe: async () => refuse() },
    files: {
      write: async () => {},
      read: async () => undefined,
      file: async () => undefined,
      remove: async () => {},
      probe: async () => {},
    },
    bodyFiles: noFiles,
    jobFiles: noFiles,
    readDemoPicture: async () => refuse(),
    examine: async () => [],
    readFreeDiskShare: async () => 1,
    defer: () => {},
    backups: {
      make: async () => refuse(),
      dataDir: '',
      isIdle: () => false,
      isThere: async () => false,
      remove: async () => {},
    },
  })
  const response = await app.http.handle(new Request('http://localhost/openapi.json'))
  db.close()
  if (!response.ok) throw new Error(`The document cannot be built: ${await response.text()}`)
  return response.json()
}

/** `lookalike openapi`. */
export const openapi: Command = {
  name: 'openapi',
  summary: 'print the OpenAPI document',
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL'],
  example: 'lookalike openapi > openapi.json',
  async run({ config }) {
    console.log(JSON.stringify(await createOpenApiDocument(findAddress(config)), null, 2))
    return 0
  },
}
