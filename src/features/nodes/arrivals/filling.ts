import { ApiError } from '../../../core/errors.ts'
import { turn } from '../../../core/turns.ts'
import { UnreadableFile } from '../../../core/unreadable-file.ts'
import type { PaletteColour } from '../../catalogue/product-index/palettes.ts'
import type { ArrivalDeps, ArrivalSession } from './world.ts'

/** How long one transaction takes further rows, and how many it takes before it looks at the clock. */
const STEP_MS = 8
const STEP_ROWS = 4

/** The same rules hold for the file of a store. */
const OF_FILE = 'The file does not hold what it should'
const OF_ROWS = 'The rows do not hold what they should'

interface Applied {
  written: Set<string>
  gone: Set<string>
  dropped: number[]
}

/** Writes the rows of a store that is arriving, in steps that hold nobody up, and its index with them. */
export function createFilling(deps: ArrivalDeps) {
  const { queries, index, models, clock, atomically, withoutFsync } = deps

  /** The sweeper takes kept pictures for unused whose products are still to come. */
  function holdPictures(lines: readonly string[]): void {
    for (const line of lines) {
      if (!line.startsWith('{"t":"kept_pictures","put"')) continue
      const { put } = JSON.parse(line) as { put: { address?: unknown } }
      if (typeof put.address === 'string') deps.holdPicture(put.address)
    }
  }

  /** Writes as many lines as there is time for. @returns where the rest begins. */
  function applySome(
    { writer }: ArrivalSession,
    lines: readonly string[],
    from: number,
    applied: Applied,
  ): number {
    const until = clock.monotonic() + STEP_MS
    let at = from
    do {
      const some = lines.slice(at, at + STEP_ROWS)
      const { written, gone, dropped } = writer.apply(some)
      holdPictures(some)
      for (const id of written) applied.written.add(id)
      for (const id of gone) applied.gone.add(id)
      applied.dropped.push(...dropped)
      at += some.length
    } while (at < lines.length && clock.monotonic() < until)
    return at
  }

  /** Brings what was committed into the index, in the same tick. */
  function feed(storeId: string, { written, dropped }: Applied): void {
    const model = models.of(storeId)
    for (const id of dropped) index.remove(storeId, id)
    for (const productId of written) {
      for (const { product, metadata, pictureId, position, palette } of queries.listPictures(
        storeId,
        productId,
      )) {
        const entry = {
          ...{ storeId, productId, product, pictureId, isFirst: position === 0 },
          metadata: JSON.parse(metadata) as Record<string, unknown>,
          palette: JSON.parse(palette) as PaletteColour[],
        }
        const vector = model.vectors.find(storeId, pictureId)
        if (!index.hasSpace(storeId, 1))
          throw index.noSpace(storeId, 'The memory for the vectors of this node is full')
        if (vector) index.put(entry, vector)
        else index.of(storeId).putBlank(entry)
      }
    }
  }

  return {
    /**
     * Writes the rows of one batch, and then down that it was; all is on the disk when this resolves. A kill leaves the rows of
     * some steps, which come again.
     *
     * @throws ApiError `invalid_request` for rows that no node sends.
     */
    async apply(
      move: { id: string; storeId: string },
      session: ArrivalSession,
      batch: number,
      lines: readonly string[],
    ) {
      let at = 0
      do {
        const applied: Applied = { written: new Set(), gone: new Set(), dropped: [] }
        const write = () =>
          atomically(() => {
            at = applySome(session, lines, at, applied)
          })
        const start = at
        try {
          withoutFsync(write)
        } catch (error) {
          at = start
          if (error instanceof UnreadableFile)
            throw new ApiError('invalid_request', error.message.replace(OF_FILE, OF_ROWS))
          throw error
        }
        if (session.isFed) feed(move.storeId, applied)
        await turn()
      } while (at < lines.length)
      // This commit waits for the disk, and all before it are on the disk then, too.
      atomically(() => queries.advance(move.id, batch))
    },
  }
}
