import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { systemClock as clock } from '../../core/clock.ts'
import { BucketRefusal } from '../../platform/backup/copies/bucket.ts'
import type { CopyPlace } from '../../platform/litestream/place.ts'
import type { NodeLease } from './lease.ts'

export async function openNodeLease(
  place: CopyPlace,
  { dataDir, log, stop }: { dataDir: string; log: Logger; stop: AbortSignal },
): Promise<NodeLease> {
  const { existsSync, readFileSync, writeFileSync } = await import('node:fs')
  const idFile = `${dataDir}/node-id`
  if (!existsSync(idFile)) writeFileSync(idFile, randomUUID())
  const me = readFileSync(idFile, 'utf8')
  const key = place.prefix ? `${place.prefix}/lease.json` : 'lease.json'
  let etag = '',
    epoch = 0,
    good = Number.NEGATIVE_INFINITY,
    timer: Timer | undefined,
    seen = '',
    seenAt = 0
  const lost: (() => void)[] = []
  const get = async () => {
    try {
      const a = await place.client.ask({ method: 'GET', key })
      return { etag: String(a.headers.etag), ...(JSON.parse(a.text) as { owner: string; epoch: number }) }
    } catch (e) {
      if (e instanceof BucketRefusal && e.status === 404) return undefined
      throw e
    }
  }
  const put = async (n: number, cond: Record<string, string>) => {
    const began = clock.monotonic()
    try {
      const a = await place.client.ask({
        method: 'PUT',
        key,
        headers: cond,
        body: JSON.stringify({ owner: me, epoch: n, nonce: randomUUID() }),
      })
      etag = String(a.headers.etag)
      epoch = n
      good = began
      return true
    } catch (e) {
      if (e instanceof BucketRefusal && (e.status === 412 || e.status === 409)) return false
      throw e
    }
  }
  return {
    get epoch() {
      return epoch
    },
    async claim(mayBeFirst) {
      const found = await get()
      if (!found)
        return mayBeFirst && (await put(1, { 'if-none-match': '*' }))
          ? { isOwner: true }
          : { isOwner: false, isThere: false, epoch: 0 }
      if (found.owner === me && (await put(found.epoch, { 'if-match': found.etag }))) return { isOwner: true }
      return { isOwner: false, isThere: true, epoch: found.epoch }
    },
    async watch() {
      const found = await get()
      if (!found) return { isThere: false, epoch: 0, isStill: false }
      if (found.etag !== seen) {
        seen = found.etag
        seenAt = clock.monotonic()
      }
      epoch = found.epoch
      return { isThere: true, epoch, isStill: clock.monotonic() - seenAt >= 15_000 }
    },
    takeOver: () => put(epoch + 1, { 'if-match': seen }),
    start() {
      timer = setInterval(
        () =>
          void put(epoch, { 'if-match': etag })
            .then((ok) => {
              if (!ok) {
                good = Number.NEGATIVE_INFINITY
                clearInterval(timer)
                for (const f of lost) f()
              }
            })
            .catch((e) => log.warn({ reason: (e as Error).message }, 'lease')),
        5_000,
      )
      stop.addEventListener('abort', () => clearInterval(timer))
    },
    stop() {
      clearInterval(timer)
    },
    mayAcknowledge: () => clock.monotonic() - good < 10_000,
    onLost: (f) => void lost.push(f),
  }
}
