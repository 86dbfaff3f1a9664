import { Elysia } from 'elysia'
import { ApiError } from '../core/errors.ts'

/** Whether this node may tell its clients that a write is done. */
export interface Acknowledgement {
  /** False when another node may have taken over, or when writes are no longer copied. */
  may(): boolean
  /**
   * Waits until as much of what was committed lies in the copy as was promised.
   *
   * @returns whether it is the copy that counts; undefined when there is nothing to wait for.
   */
  untilCopied(): Promise<boolean> | undefined
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/**
 * Routes that only read although they have a body. What they leave behind (a row of the search log, the last use of a key) is lost by any
 * crash, too. A token is no state of a store: whoever got one in vain asks again.
 */
const READS: ReadonlySet<string> = new Set([
  '/oauth/token',
  '/v1/search',
  ...['url', 'text', 'hybrid', 'fusion', 'multi-image', 'crop', 'filtered', 'batch'].map(
    (kind) => `/v1/search/${kind}`,
  ),
  ...['text', 'suggestions', 'upload', 'url'].map((kind) => `/v1/widget/search/${kind}`),
])
/** An owner that cannot renew its lease either can again within this time, or is none any more. */
const RETRY_SECONDS = 5
/** Longer waits end as a refusal: the client must not believe that the write is safe. */
const COPY_MS = 20_000
/** How often it is looked whether there is still something to wait for. */
const LOOK_MS = 1_000

/** Whether a request of this route changes nothing that anybody relies on. */
export const isRead = (method: string, route: string): boolean =>
  READING.has(method) || (method === 'POST' && READS.has(route))

/**
 * Withholds the answers to writes that may be lost (contract 8.21): it looks before the work, and again when it is committed, before
 * the answer. Searches and other reads go on.
 *
 * @param sleep resolves after a time in ms.
 */
export function acknowledgePlugin(
  { may, untilCopied }: Acknowledgement,
  sleep: (ms: number) => Promise<unknown> = Bun.sleep,
) {
  const demand = (): void => {
    if (!may()) throw refusal()
  }
  /** Ends early when the right is lost meanwhile. */
  async function waitFor(copied: Promise<boolean>): Promise<boolean> {
    for (let waited = 0; waited < COPY_MS; waited += LOOK_MS) {
      const result = await Promise.race([copied, sleep(LOOK_MS).then(() => 'late' as const)])
      if (result !== 'late') return result
      demand()
    }
    return false
  }

  return new Elysia({ name: 'http.acknowledge' })
    .onBeforeHandle({ as: 'global' }, ({ request: { method }, route }) => {
      if (!isRead(method, route)) demand()
    })
    .onAfterHandle({ as: 'global' }, async ({ request: { method }, route }) => {
      if (isRead(method, route)) return
      const copied = untilCopied()
      if (copied && !(await waitFor(copied))) throw refusal()
      demand()
    })
}

const refusal = (): ApiError =>
  new ApiError(
    'read_only',
    'This node cannot make sure at the moment that a write is kept: it may have been done, and may be undone. Searches go on',
    { retryAfterSeconds: RETRY_SECONDS },
  )
