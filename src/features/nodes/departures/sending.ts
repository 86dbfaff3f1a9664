import { turn } from '../../../core/turns.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { Base } from '../../module.ts'
import { HASHES_MAX, ROWS_BYTES_MAX } from '../protocol/schema.ts'
import type { DepartureQueries } from './queries.ts'
import type { Target } from './target.ts'
import type { CapturedRow, MoveCapture, MoveDigest, MoveReader } from './world.ts'

/** Pictures that are read and sent at a time. */
const PICTURES_AT_A_TIME = 4
/** Captured rows that are read and sent together. */
const DELTA_ROWS = 1_000

export interface SendingDeps extends Pick<Base, 'atomically'> {
  queries: Pick<DepartureQueries, 'claimBatch' | 'raiseBatch'>
  reader: Pick<MoveReader, 'readCaptured' | 'picturesOf'>
  capture: Pick<MoveCapture, 'take' | 'forget'>
  digest: Pick<MoveDigest, 'touch'>
  files: Pick<PictureFiles, 'read'>
}

/** The move has ended while a step of it was under way. */
export class MoveEnded extends Error {
  constructor() {
    super('The move has ended')
  }
}

export interface Moving {
  id: string
  storeId: string
}

/** How many of some lines are products. */
export const countProducts = (lines: readonly string[]): number => {
  let count = 0
  for (const line of lines) if (line.startsWith('{"t":"products","put"')) count++
  return count
}

/** Cuts lines into bodies of at most {@link ROWS_BYTES_MAX}; a longer line has a body of its own. */
function* cutBodies(lines: readonly string[]): Generator<string> {
  let body: string[] = []
  let bytes = 0
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1
    if (body.length > 0 && bytes + size > ROWS_BYTES_MAX) {
      yield `${body.join('\n')}\n`
      body = []
      bytes = 0
    }
    body.push(line)
    bytes += size
  }
  if (body.length > 0) yield `${body.join('\n')}\n`
}

export type Sending = ReturnType<typeof createSending>

/** Sends rows and pictures to the target. */
export function createSending({ queries, reader, capture, digest, files, atomically }: SendingDeps) {
  /**
   * Sends one body. Each attempt has a number of its own, higher than all before: a late copy of an earlier attempt, whose rows
   * are older, is passed over by the target.
   */
  async function sendBody(target: Target, { id }: Moving, body: string): Promise<void> {
    for (let tries = 0; ; tries++) {
      const batch = atomically(() => queries.claimBatch(id))
      if (batch === undefined) throw new MoveEnded()
      const { last_batch } = await target.sendRows(batch, body)
      if (last_batch === batch) return
      // The target counts further than this database, which was put back from a copy, for example.
      if (tries > 0)
        throw new Error(`The target has counted ${last_batch} batches, and did not take ${batch}`)
      atomically(() => queries.raiseBatch(id, last_batch))
    }
  }

  /** @returns the number of bytes. */
  async function sendLines(target: Target, move: Moving, lines: readonly string[]): Promise<number> {
    let bytes = 0
    for (const body of cutBodies(lines)) {
      await turn()
      await sendBody(target, move, body)
      bytes += body.length
    }
    return bytes
  }

  async function sendPicture(target: Target, hash: string): Promise<number> {
    const bytes = await files.read(hash)
    // Lost here, too: the product goes without it there as it does here.
    if (!bytes) return 0
    await target.putPicture(hash, bytes)
    return bytes.byteLength
  }

  /** Sends the kept files that the target lacks. @returns how many bytes. */
  async function sendPictures(target: Target, hashes: readonly string[]): Promise<number> {
    let bytes = 0
    for (let at = 0; at < hashes.length; at += HASHES_MAX) {
      const missing = await target.findMissing(hashes.slice(at, at + HASHES_MAX))
      for (let n = 0; n < missing.length; n += PICTURES_AT_A_TIME) {
        const some = missing.slice(n, n + PICTURES_AT_A_TIME)
        for (const sent of await Promise.all(some.map((hash) => sendPicture(target, hash)))) bytes += sent
      }
    }
    return bytes
  }

  /** Sends rows that were captured, as they are now, and forgets them when the target has them. */
  async function sendCaptured(target: Target, move: Moving, rows: CapturedRow[]) {
    digest.touch(move.storeId, rows)
    const lines = reader.readCaptured(move.storeId, rows)
    const pictures = reader.picturesOf(lines)
    const bytes =
      (pictures.length > 0 ? await sendPictures(target, pictures) : 0) +
      (await sendLines(target, move, lines))
    const last = rows.at(-1)
    if (last) capture.forget(move.storeId, last.seq)
    return { rows: lines.length, bytes, products: 0, pictures: pictures.length }
  }

  return {
    sendLines,
    sendPictures,
    sendCaptured,
    /** The oldest rows that were captured. */
    takeCaptured: (storeId: string): CapturedRow[] => capture.take(storeId, DELTA_ROWS),
  }
}
