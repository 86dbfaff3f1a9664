import { join } from 'node:path'
import type { Logger } from 'pino'
import { systemClock as clock } from '../../core/clock.ts'
import { systemIds as ids } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { type Bucket, BucketRefusal } from '../../platform/backup/copies/bucket.ts'
import { createLease, type Lease, type LeaseObject } from '../../platform/lease/lease.ts'
import type { CopyPlace } from '../../platform/litestream/place.ts'
import { ensureSecret } from '../../platform/secret-file.ts'

/** Names the node in the lease. A copy of the data folder must not go along with it, or both would be the same node. */
const NAME_FILE = 'node-name'

const CONDITION_FAILED: ReadonlySet<number> = new Set([404, 409, 412])

/**
 * Opens the lease of an install, after trying whether the store keeps conditions.
 *
 * @throws OperatorError for a store that does not, in one sentence.
 */
export async function openNodeLease(
  { quickClient: client, prefix, name }: CopyPlace,
  { dataDir, log }: { dataDir: string; log: Logger },
): Promise<Lease> {
  const below = (file: string): string => (prefix === '' ? file : `${prefix}/${file}`)
  await tryConditions(client, below(`try-${ids.uuid()}`), name)
  const owner = ensureSecret(join(dataDir, NAME_FILE), () => ({ secret: ids.uuid(), uniqueName: ids.uuid() }))
  return createLease({ object: openObject(client, below('lease.json')), owner, clock, ids, log })
}

function openObject(client: Bucket, key: string): LeaseObject {
  return {
    async get() {
      try {
        const { headers, text } = await client.ask({ method: 'GET', key })
        return { etag: String(headers.etag), text }
      } catch (error) {
        if (error instanceof BucketRefusal && error.status === 404 && error.code !== 'NoSuchBucket')
          return undefined
        throw error
      }
    },
    async put(body, condition) {
      const headers =
        'ifMatch' in condition
          ? { 'if-match': condition.ifMatch }
          : { 'if-none-match': condition.ifNoneMatch }
      try {
        const answer = await client.ask({ method: 'PUT', key, headers, body })
        return { etag: String(answer.headers.etag) }
      } catch (error) {
        if (
          error instanceof BucketRefusal &&
          CONDITION_FAILED.has(error.status) &&
          error.code !== 'NoSuchBucket'
        )
          return false
        throw error
      }
    },
  }
}

/** @throws OperatorError */
async function tryConditions(client: Bucket, key: string, name: string): Promise<void> {
  const object = openObject(client, key)
  try {
    const first = await object.put('1', { ifNoneMatch: '*' })
    const again = await object.put('2', { ifNoneMatch: '*' })
    const wrong = await object.put('3', { ifMatch: '"00000000000000000000000000000000"' })
    const right = first && (await object.put('4', { ifMatch: first.etag }))
    if (again || wrong || !right) {
      throw new OperatorError(
        `The store of ${name} does not keep conditions of writes (If-Match, If-None-Match), and without them two nodes could own one install: use a store that does, such as Amazon S3, MinIO, Cloudflare R2 or Ceph.`,
      )
    }
  } finally {
    await client.ask({ method: 'DELETE', key }).catch(() => {})
  }
}
