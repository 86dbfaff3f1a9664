import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import { HASHES_MAX, ROWS_BYTES_MAX } from '../protocol/schema.ts'
import type { DepartureQueries, DepartureRow } from './queries.ts'
import { countProducts, MoveEnded, type Sending } from './sending.ts'
import type { Session } from './session.ts'
import type { Cursor, MoveCapture, MoveDigest, MoveReader } from './world.ts'

/** What one look at the database may bring: it holds the event loop up. */
const PIECE_BYTES = 256 * 1024
/** So few captured rows do not keep both sides from summing up what they have. */
const SHORT_ROWS = 200
/** By the pace of the last ones, more may wait for that if they take no longer; and so many may be left for the pause of writes. */
const SHORT_MS = 1_000
/** Both sums may take so long before a pause; it then takes less, because less has changed since. */
const FRESH_MS = 500
/** Where more changes than can be sent or summed up, the pause begins after so many tries. */
const FRESHENINGS_MAX = 10
/** How often the target is asked whether its index is loaded. */
const INDEX_MS = 1_000

/** Where the first pass is. */
export type Place =
  | { at: 'rows'; after?: Cursor | undefined; tables?: readonly string[] | undefined }
  | { at: 'pictures'; after?: string | undefined }

/** `again`: there is more to do at once; `wait`: at a later wake; `pause`: the rest is short enough to pause writes. */
export type Outcome = 'again' | 'wait' | 'pause'

export interface CopyingDeps extends Pick<Base, 'atomically' | 'clock'> {
  queries: Pick<DepartureQueries, 'advance' | 'setPhase'>
  reader: Pick<MoveReader, 'walk' | 'listPictureFiles'>
  digest: Pick<MoveDigest, 'prepare' | 'refresh'>
  capture: Pick<MoveCapture, 'count'>
  sending: Sending
  /** Whether another model is about to answer for the store. */
  isModelMoving(): boolean
  /** Whether searches here know the words of all products: a while after a start they do not, and answer otherwise. */
  hasWords(storeId: string): boolean
}

/** Copies a store while it is served: all rows once, its pictures, then what has changed meanwhile. */
export function createCopying({
  queries,
  reader,
  digest,
  capture,
  sending,
  atomically,
  clock,
  isModelMoving,
  hasWords,
}: CopyingDeps) {
  function advance(row: DepartureRow, sent: Parameters<DepartureQueries['advance']>[1], place?: Place): void {
    const cursor = place ? JSON.stringify(place) : null
    if (!atomically(() => queries.advance(row.id, sent, cursor, clock.now()))) throw new MoveEnded()
  }

  async function readBatch(storeId: string, place: Place & { at: 'rows' }) {
    const lines: string[] = []
    let { after } = place
    let bytes = 0
    do {
      const piece = reader.walk(storeId, after, PIECE_BYTES, place.tables)
      for (const line of piece.lines) {
        lines.push(line)
        bytes += line.length
      }
      after = piece.next
      await turn()
    } while (after !== undefined && bytes < ROWS_BYTES_MAX / 2)
    return { lines, after }
  }

  async function copyRows(
    { target }: Session,
    row: DepartureRow,
    place: Place & { at: 'rows' },
  ): Promise<void> {
    const { lines, after } = await readBatch(row.storeId, place)
    const bytes = await sending.sendLines(target, row, lines)
    const sent = { rows: lines.length, bytes, products: countProducts(lines), pictures: 0 }
    advance(row, sent, after === undefined ? { at: 'pictures' } : { ...place, after })
  }

  async function copyPictures(
    { target }: Session,
    row: DepartureRow,
    after: string | undefined,
  ): Promise<void> {
    const hashes = reader.listPictureFiles(row.storeId, after, HASHES_MAX)
    const last = hashes.at(-1)
    if (last === undefined) {
      if (!atomically(() => queries.setPhase(row.id, 'copying', 'catching_up'))) throw new MoveEnded()
      return
    }
    const bytes = await sending.sendPictures(target, hashes)
    advance(row, { rows: 0, bytes, products: 0, pictures: hashes.length }, { at: 'pictures', after: last })
  }

  async function sendDelta(session: Session, row: DepartureRow): Promise<number> {
    const rows = sending.takeCaptured(row.storeId)
    if (rows.length === 0) return 0
    const startedAt = clock.monotonic()
    advance(row, await sending.sendCaptured(session.target, row, rows))
    session.msPerRow = (clock.monotonic() - startedAt) / rows.length
    return rows.length
  }

  function isShort(session: Session, storeId: string): boolean {
    const count = capture.count(storeId)
    return count <= SHORT_ROWS || count * (session.msPerRow ?? Number.POSITIVE_INFINITY) <= SHORT_MS
  }

  /** Whether what is left takes a short part of the pause. A target that is busy may need long for a few rows. */
  function isBrief(session: Session, storeId: string): boolean {
    if (session.freshenings >= FRESHENINGS_MAX) return true
    return capture.count(storeId) * (session.msPerRow ?? 0) <= SHORT_MS
  }

  /** Has both sides sum up again what has changed, so that little is left for the pause. @returns whether little was. */
  async function freshen(session: Session, row: DepartureRow): Promise<boolean> {
    const startedAt = clock.monotonic()
    await session.target.digest()
    for (const _ of digest.refresh(row.storeId)) await turn()
    session.freshenings++
    return clock.monotonic() - startedAt <= FRESH_MS || session.freshenings >= FRESHENINGS_MAX
  }

  return {
    /** Sends one batch of the first pass. */
    async copy(session: Session, row: DepartureRow): Promise<Outcome> {
      const place: Place = row.cursor === null ? { at: 'rows' } : JSON.parse(row.cursor)
      if (place.at === 'rows') await copyRows(session, row, place)
      else await copyPictures(session, row, place.after)
      return 'again'
    },

    /** Sends what has changed, and readies the target for the pause. */
    async catchUp(session: Session, row: DepartureRow): Promise<Outcome> {
      const sent = await sendDelta(session, row)
      if (sent > 0 && !isShort(session, row.storeId)) return 'again'
      if (!session.isIndexLoaded) {
        session.isIndexLoaded = await session.target.loadIndex()
        if (!session.isIndexLoaded) session.restUntil = clock.monotonic() + INDEX_MS
        return session.isIndexLoaded ? 'again' : 'wait'
      }
      if (!session.isDigestReady) {
        // The first digest reads everything; later ones read what has changed.
        await session.target.digest()
        for (const _ of digest.prepare(row.storeId)) await turn()
        session.isDigestReady = true
        return 'again'
      }
      if (!isShort(session, row.storeId)) return 'again'
      if (clock.now() < row.pauseAt || isModelMoving() || !hasWords(row.storeId)) return 'wait'
      if (!(await freshen(session, row))) return 'again'
      await sendDelta(session, row)
      if (!isBrief(session, row.storeId)) return 'again'
      session.freshenings = 0
      return 'pause'
    },
  }
}
