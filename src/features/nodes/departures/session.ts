import type { Target } from './target.ts'

/** What memory holds about a move that runs. A restart begins with a new one. */
export interface Session {
  target: Target
  /** Ends every request of the move. */
  cancel: AbortController
  /** The same target for the time of a pause; its requests end with the signal. */
  openTarget(signal: AbortSignal): Target
  isIndexLoaded: boolean
  isDigestReady: boolean
  /** How often the sums were read again since the last pause. */
  freshenings: number
  /** The pace of the last delta; undefined before one. */
  msPerRow: number | undefined
  /** By the monotonic clock; nothing is done before. */
  restUntil: number
  /** When the present pause began, by the monotonic clock; undefined outside of one, and after a restart. */
  pausedAt: number | undefined
  /** The pace since this session began. */
  begun: { at: number; bytes: number; productsDone: number } | undefined
  /** Questions in `switching` that led nowhere. */
  asked: number
}
