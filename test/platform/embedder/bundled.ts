import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../../../src/core/errors.ts'
import {
  type ChildEmbedder,
  type ChildEmbedderOptions,
  createEmbedder,
} from '../../../src/platform/embedder/child-embedder.ts'
import { bundledModelDir } from '../../../src/platform/native/model-folder.ts'

export const MODEL_DIR = bundledModelDir()
const ENTRY = fileURLToPath(new URL('./entry.ts', import.meta.url))

/** Two ways to ask for a picture of one store. */
export const SEARCH = { priority: 'search', storeId: 'store' } as const
export const INDEX = { priority: 'index', storeId: 'store' } as const

/** What the embedder logged, as `level: message`. */
export interface LoggedEmbedder {
  embedder: ChildEmbedder
  log: string[]
}

/** The real embedder with the real model in real processes. */
export function startEmbedder(options: Partial<ChildEmbedderOptions> = {}): LoggedEmbedder {
  const log: string[] = []
  const at = (level: string) => (_: object, message: string) => void log.push(`${level}: ${message}`)
  const embedder = createEmbedder({
    modelDir: MODEL_DIR,
    command: [process.execPath, ENTRY],
    inferenceThreads: 1,
    log: { info: at('info'), warn: at('warn'), error: at('error') },
    ...options,
  })
  return { embedder, log }
}

/** A copy of the bundled model (int8 files only) that a test may spoil. */
export function copyModel(): { dir: string } & Disposable {
  const parent = mkdtempSync(join(tmpdir(), 'lookalike-model-'))
  const dir = join(parent, 'copied-model')
  cpSync(MODEL_DIR, dir, { recursive: true, filter: (path) => !/_model\.onnx$/.test(path) })
  return { dir, [Symbol.dispose]: () => rmSync(parent, { recursive: true, force: true }) }
}

/** The ApiError that a promise ends in; anything else fails the test. */
export async function refusalOf(promise: Promise<unknown>): Promise<ApiError> {
  const outcome = await promise.then(
    () => new Error('It was not refused'),
    (error: unknown) => error,
  )
  if (!(outcome instanceof ApiError)) throw outcome
  return outcome
}
