import { createHash } from 'node:crypto'
import type { Digest, NodeAnswer, NodeRequest } from '../../../../src/features/nodes/departures/world.ts'

/** What a node holds of a store that arrives; it survives the kills of the source. */
export interface Kept {
  state: 'arriving' | 'open' | 'abandoned'
  lastBatch: number
  rows: Map<string, string>
  pictures: Map<string, Uint8Array>
  opened: number
  announced: number
}

export const sumOf = (rows: Iterable<readonly [string, string]>): Digest => {
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1))
  const hash = createHash('sha256')
  for (const [key, value] of sorted) hash.update(`${key}\0${value}\0`)
  return { things: { rows: sorted.length, sum: hash.digest('hex') } }
}

const answer = (json: unknown, status = 200): NodeAnswer => ({ status, json })
const refuse = (status: number, error: string, message: string) => answer({ error, message }, status)

/** The other node, which keeps the promises of the protocol. */
export function createTargetDouble(newUrl: string) {
  const kept: Kept = {
    state: 'abandoned',
    lastBatch: 0,
    rows: new Map(),
    pictures: new Map(),
    opened: 0,
    announced: 0,
  }
  const node = {
    kept,
    /** What `announce` answers instead. */
    refusal: undefined as NodeAnswer | undefined,
    reembeds: false,
    /** What it sums up; by default the rows that came. */
    sum: () => sumOf(kept.rows),
    searchAnswer: (_body: unknown): unknown[] | Promise<unknown[]> => [],
    /** Takes the rows of a batch, besides {@link Kept.rows}. */
    onRows: (_body: string): void => {},
    serve,
  }

  function begin(): NodeAnswer {
    if (node.refusal) return node.refusal
    Object.assign(kept, { state: 'arriving', lastBatch: 0, announced: kept.announced + 1 })
    kept.rows.clear()
    return answer({ move_id: 'there', token: 'a token', url: newUrl, reembeds: node.reembeds }, 201)
  }

  function apply(batch: number, body: string): NodeAnswer {
    if (batch <= kept.lastBatch) return answer({ last_batch: kept.lastBatch })
    node.onRows(body)
    for (const line of body.split('\n').filter((text) => text !== '')) {
      const { put, del } = JSON.parse(line) as {
        put?: { key?: string; value?: string }
        del?: { key: string }
      }
      if (put) kept.rows.set(put.key ?? line, put.value ?? '')
      if (del) kept.rows.delete(del.key)
    }
    kept.lastBatch = batch
    return answer({ last_batch: batch })
  }

  function serve(
    method: string,
    path: string,
    { body, json, query }: NodeRequest = {},
  ): NodeAnswer | Promise<NodeAnswer> {
    if (path === '/v1/node/moves') return begin()
    const rest = path.replace('/v1/node/moves/there', '')
    if (method === 'GET') return answer({ state: kept.state, last_batch: kept.lastBatch })
    if (method === 'DELETE') {
      if (kept.state === 'open') return refuse(409, 'conflict', 'The store is open here')
      kept.state = 'abandoned'
      return answer({ state: kept.state })
    }
    if (rest === '/open') {
      if (kept.state === 'abandoned') return refuse(409, 'conflict', 'The move was given up')
      if (kept.state === 'arriving') kept.opened++
      kept.state = 'open'
      return answer({ state: 'open', url: newUrl })
    }
    if (kept.state !== 'arriving') return refuse(409, 'conflict', `The move is ${kept.state}`)
    if (rest === '/rows') return apply(Number(query?.['batch']), String(body))
    if (rest === '/pictures/missing') {
      const { hashes } = json as { hashes: string[] }
      return answer({ missing: hashes.filter((hash) => !kept.pictures.has(hash)) })
    }
    if (rest.startsWith('/pictures/')) {
      kept.pictures.set(rest.slice('/pictures/'.length), body as Uint8Array)
      return answer({})
    }
    if (rest === '/index') return answer({ is_loaded: true })
    if (rest === '/digest') return answer({ tables: node.sum() })
    if (rest === '/search')
      return Promise.resolve(node.searchAnswer(json)).then((results) => answer({ results }))
    return refuse(404, 'not_found', 'No such path')
  }

  return node
}
