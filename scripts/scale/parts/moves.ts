import { type Door, searchOnce } from './load.ts'
import { type ScaleNode, spawnAt } from './node.ts'
import { mustRun } from './program.ts'
import type { Shop } from './shop.ts'

const LOOK_MS = 100
/** How a code looks: Crockford's base32 in groups of four. */
const CODE = /\b(?:[0-9A-HJKMNP-TV-Z]{4}-){2,}[0-9A-HJKMNP-TV-Z]{1,4}\b/

/** Asks a node for a code, as its operator does. */
async function invite(node: ScaleNode): Promise<string> {
  const printed = await mustRun(node.program, node.dataDir, ['node', 'invite'], node.settings)
  const code = CODE.exec(printed)?.[0]
  if (!code) throw new Error(`lookalike node invite printed no code: ${printed}`)
  return code
}

/** Starts `lookalike store move`, which ends with the move. */
export async function startMove(shop: Shop, source: ScaleNode, target: ScaleNode) {
  const code = await invite(target)
  return spawnAt(source, ['store', 'move', shop.slug, '--to', target.nodeAddress, '--code', code])
}

/** Moves a store and waits. @throws Error unless the command succeeds. @returns seconds. */
export async function moveStore(shop: Shop, source: ScaleNode, target: ScaleNode): Promise<number> {
  const begin = performance.now()
  const child = await startMove(shop, source, target)
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0)
    throw new Error(`The move from ${source.name} to ${target.name} ended with ${code}: ${err || out}`)
  return (performance.now() - begin) / 1_000
}

/** What a node answers to a search of the store at its own door. */
export type Standing = 'serves' | 'elsewhere' | 'unknown' | 'silent'

export async function readStanding(shop: Shop, door: Door): Promise<Standing> {
  const { status } = await searchOnce(shop, door, 1)
  if (status === 200) return 'serves'
  if (status === 421) return 'elsewhere'
  // A node that never had the store, or no longer has a word of it, does not know its key.
  if (status === 401) return 'unknown'
  return 'silent'
}

/** Waits until exactly one node serves the store and the other says that it does not. @returns its number; undefined if that never is so. */
export async function untilOneServes(
  shop: Shop,
  doors: readonly Door[],
  withinMs: number,
): Promise<{ owner: number; ms: number } | undefined> {
  const begin = performance.now()
  for (;;) {
    const standings = await Promise.all(doors.map((door) => readStanding(shop, door)))
    const owner = standings.indexOf('serves')
    const isOne = standings.every(
      (standing, n) => n === owner || standing === 'elsewhere' || standing === 'unknown',
    )
    const ms = performance.now() - begin
    if (owner >= 0 && isOne && (await isWritable(shop, doors[owner] as Door))) return { owner, ms }
    if (ms > withinMs) return undefined
    await Bun.sleep(LOOK_MS)
  }
}

/** Whether a write is acknowledged: a switch that nobody has finished leaves searches and refuses writes. */
async function isWritable(shop: Shop, { address }: Door): Promise<boolean> {
  const answer = await fetch(`${address}/v1/products/sku-1`, {
    ...{ method: 'PATCH', body: JSON.stringify({ metadata: { probed: Date.now() } }) },
    headers: { 'content-type': 'application/json', 'x-api-key': shop.apiKey },
    signal: AbortSignal.timeout(15_000),
  }).catch(() => undefined)
  return answer?.status === 200
}
