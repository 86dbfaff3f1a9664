import { MINUTE_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { parseLine, readLines } from '../../../core/row-lines.ts'
import type { BundleWish } from '../../../platform/archives/bundle-reader.ts'
import type { RowWriter } from '../../../platform/db/store-copy/writing.ts'
import { createAdapters } from './adapting.ts'
import type { ImportDeps, ImportOptions } from './import.ts'
import type { Inspected } from './inspecting.ts'
import { pictureOf, readPart, tableOf } from './parts.ts'
import type { FileSecrets } from './schema.ts'

/** An import that has said nothing for so long is dead. */
export const LEASE_MS = 2 * MINUTE_MS
/** Rows of one transaction: some 30 ms beside a service, and more where nobody waits, which writes less. */
const STEP = 64
const ALONE_STEP = 2_000

/**
 * Creates what writes everything that a file holds to a store that nobody sees yet. It returns what knows the names that the
 * rows have here.
 */
export function createFilling(deps: ImportDeps) {
  const { queries, clock, atomically, withoutFsync } = deps

  /** Does a step of the work in a transaction, and lets others work. @throws OperatorError once the service deletes the store. */
  async function step(storeId: string, { pause, stop }: ImportOptions, work: () => void): Promise<void> {
    const start = clock.monotonic()
    withoutFsync(() =>
      atomically(() => {
        const now = clock.now()
        if (!queries.renewArrival(storeId, now, now + LEASE_MS))
          throw new OperatorError(
            'The import was held up for too long, and the service has ended it: try again',
          )
        work()
      }),
    )
    await pause(clock.monotonic() - start)
    stop?.throwIfAborted()
  }

  return async function fill(
    storeId: string,
    path: string,
    wish: BundleWish,
    inspected: Inspected,
    secrets: FileSecrets | undefined,
    options: ImportOptions,
  ): Promise<RowWriter> {
    const { files, hasNewKeys, onProgress } = options
    const vectors = new Map(deps.listModels().map((model) => [model.hash, model.vectors]))
    const dimensions = new Map(inspected.details.models.map(({ hash, dimension }) => [hash, dimension]))
    const adapters = createAdapters(
      { ...deps, putVector: (hash, owner, id, vector) => vectors.get(hash)?.put(owner, id, vector) },
      { storeId, pictures: inspected.pictures, dimensions, secrets, hasNewKeys },
    )
    const writer = deps.createWriter(storeId, adapters)
    const rowsMax = options.isServed ? STEP : ALONE_STEP
    let done = 0
    const watched = async function* (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of content) {
        yield piece
        done += piece.length
        onProgress?.(done / inspected.bytes)
      }
    }
    await deps.readBundle(path, wish, {
      async take(part, raw) {
        const content = watched(raw)
        const table = tableOf(part.path)
        const hash = pictureOf(part.path)
        if (table !== undefined)
          await takeRows(writer, table, content, rowsMax, (work) => step(storeId, options, work))
        else if (hash !== undefined) {
          const bytes = await readPart(part, content, LIMITS.pictureBytesMax)
          await step(storeId, options, () => {})
          // A file that no row names would never be deleted.
          if (queries.keepsPicture(storeId, hash)) await files.write(hash, bytes)
        } else for await (const _ of content);
      },
    })
    for (const hash of queries.listKept(storeId))
      if (!(await files.file(hash)))
        throw new OperatorError('A picture vanished while the store came in: try again')
    return writer
  }
}

async function takeRows(
  writer: RowWriter,
  table: string,
  content: AsyncIterable<Uint8Array>,
  rowsMax: number,
  doStep: (work: () => void) => Promise<void>,
): Promise<void> {
  let write: ((values: ReturnType<typeof parseLine>) => void) | undefined
  let waiting: ReturnType<typeof parseLine>[] = []
  const flush = () =>
    doStep(() => {
      for (const values of waiting) write?.(values)
      waiting = []
    })
  for await (const line of readLines(content)) {
    const values = parseLine(line)
    if (!write) write = writer.open(table, values)
    else if (waiting.push(values) === rowsMax) await flush()
  }
  await flush()
}
