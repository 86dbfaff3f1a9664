import pino from 'pino'
import { createApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import { systemClock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { systemIds } from '../core/ids.ts'
import { openDatabase } from '../platform/db/open.ts'
import type { Embedder } from '../platform/embedder/embedder.ts'
import type { Command } from './command.ts'

const notHere = (): never => {
  throw new ApiError('model_not_ready', 'Only the document is made here')
}

const NOTHING_IS_SIGNED = 'no token is ever signed, and nothing sealed, with this'

/** The document needs the routes and their schemas, and neither a model nor a disk. */
const noEmbedder: Embedder = {
  model: { id: 'none', hash: 'none', dimension: 1 },
  calibration: { image_image: { midpoint: 0, slope: 1 }, text_image: { midpoint: 0, slope: 1 } },
  status: () => ({ state: 'starting' }),
  embedPicture: async () => notHere(),
  embedText: async () => notHere(),
  close: async () => {},
}

/** The OpenAPI document, as `/openapi.json` gives it. */
export async function openApiDocument(): Promise<unknown> {
  const db = openDatabase(':memory:')
  const app = createApp(loadConfig({}), () => '', {
    tokenSecret: NOTHING_IS_SIGNED,
    dataSecret: NOTHING_IS_SIGNED,
    mailer: { isConfigured: false, send: async () => notHere() },
    db,
    clock: systemClock,
    ids: systemIds,
    log: pino({ level: 'silent' }),
    embedder: noEmbedder,
    budget: createByteBudget(),
    fetcher: { fetch: async () => notHere() },
    files: {
      write: async () => {},
      read: async () => undefined,
      file: async () => undefined,
      remove: async () => {},
      probe: async () => {},
    },
    readDemoPicture: async () => notHere(),
    freeDiskShare: async () => 1,
    later: () => {},
  })
  const response = await app.http.handle(new Request('http://localhost/openapi.json'))
  db.close()
  return response.json()
}

/** `lookalike openapi`. */
export const openapi: Command = {
  name: 'openapi',
  summary: 'print the OpenAPI document',
  settings: [],
  example: 'lookalike openapi > openapi.json',
  async run() {
    console.log(JSON.stringify(await openApiDocument(), null, 2))
    return 0
  },
}
