import { OperatorError } from '../../core/operator-error.ts'
import { createEmbedder } from '../embedder/child-embedder.ts'

/** Starts a model as the service does. @throws OperatorError for one that does not start. */
export type StartCheck = (dir: string, hash: string, signal: AbortSignal) => Promise<{ memoryBytes: number }>

/** What a process of each kind is given before its memory is read. */
interface Samples {
  pictures: readonly Uint8Array[]
  text: string
}

/** Of all tries together: a process that cannot start is started again a few times. */
const START_MS = 120_000

/**
 * Starts the processes of a model with the self-test that every start has, and measures what memory they take at work.
 *
 * @param command a command line that runs the embedder's processes.
 */
export const createStartCheck =
  (
    command: readonly string[],
    env: Record<string, string>,
    readSamples: () => Promise<Samples>,
  ): StartCheck =>
  async (dir, hash, signal) => {
    const log = { info() {}, warn() {}, error() {} }
    const embedder = createEmbedder({
      ...{ modelDir: dir, modelHash: hash, command, env, inferenceThreads: 1, log },
    })
    try {
      const stop = AbortSignal.any([signal, AbortSignal.timeout(START_MS)])
      await untilStopped(embedder.settled(), stop)
      signal.throwIfAborted()
      const status = embedder.status()
      if (status.state === 'failed') throw new OperatorError(`The model does not start: ${status.reason}.`)
      if (status.state === 'starting')
        throw new OperatorError(`The model does not start within ${START_MS / 60_000} minutes.`)
      const { pictures, text } = await readSamples()
      for (const picture of pictures)
        await untilStopped(embedder.embedPicture(picture, { priority: 'index', storeId: '' }), stop)
      await untilStopped(embedder.embedText(text, 'index'), stop)
      const { text: ofTexts = 0, picture: ofPictures = 0 } = embedder.gauges?.readMemoryBytes() ?? {}
      return { memoryBytes: ofTexts + ofPictures }
    } finally {
      await embedder.close()
    }
  }

/** Waits for work, or for its stop. */
const untilStopped = async (work: Promise<unknown>, stop: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = (): void => resolve()
  stop.addEventListener('abort', end, { once: true })
  if (stop.aborted) end()
  try {
    await Promise.race([work, promise])
  } finally {
    stop.removeEventListener('abort', end)
  }
}
