import { BLOCK_SLOTS, type BlockScores, SCAN_QUERIES_MAX } from './workspace.ts'

export const makeScores = (
  blocks: number,
  Buffer: SharedArrayBufferConstructor | ArrayBufferConstructor,
): BlockScores => ({
  scores: new Float32Array(new Buffer(4 * BLOCK_SLOTS * blocks)),
  tops: new Float32Array(new Buffer(4 * blocks)),
})

const own: BlockScores[] = []

/**
 * Scores of a scan that ends within this tick; the next one writes over them.
 *
 * @param n the number of the scan among those whose scores are used together.
 */
export function ownScores(blocks: number, n: number): BlockScores {
  const kept = own[n]
  if (kept && kept.tops.length >= blocks) return kept
  const made = makeScores(Math.max(64, Math.ceil(blocks * 1.25)), ArrayBuffer)
  own[n] = made
  return made
}

/** Scores that threads wrote, for later scans: making them again would cost a page fault for each 1,024. */
const spare: BlockScores[] = []
const SPARE_MAX = SCAN_QUERIES_MAX

export function takeScores(blocks: number): BlockScores {
  const at = spare.findIndex(({ tops }) => tops.length >= blocks)
  const [found] = at === -1 ? [] : spare.splice(at, 1)
  return found ?? makeScores(Math.ceil(blocks * 1.1), SharedArrayBuffer)
}

export function giveScores(used: BlockScores): void {
  if (!(used.scores.buffer instanceof SharedArrayBuffer)) return
  spare.push(used)
  if (spare.length > SPARE_MAX) spare.shift()
}

export function lengthen({ scores, tops }: BlockScores, blocks: number): BlockScores {
  const longer = makeScores(blocks, ArrayBuffer)
  longer.scores.set(scores)
  longer.tops.set(tops)
  return longer
}
