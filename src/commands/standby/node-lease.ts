import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { systemClock } from '../../core/clock.ts'
import { systemIds as ids } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { type Bucket, BucketRefusal } from '../../platform/backup/copies/bucket.ts'
import type { LeaseObject } from '../../platform/lease/content.ts'
import { createLease, type Lease } from '../../platform/lease/lease.ts'
import { createLeaseClock, nameSeat } from '../../platform/lease/machine.ts'
import { findLastEpoch } from '../../platform/litestream/epochs.ts'
import type { CopyPlace } from '../../platform/litestream/place.ts'
import { ensureSecret, readSecret } from '../../platform/secret-file.ts'
import { ensureInstallSecret } from '../service/data-secrets.ts'

/** Names the node in the lease. A copy of the data folder goes by the same name; the seat tells them apart. */
const NAME_FILE = 'node-name'

const CONDITION_FAILED: ReadonlySet<number> = new Set([404, 409, 412])

/**
 * Opens the lease of an install, after trying whether the store keeps conditions.
 *
 * @throws OperatorError for a store that does not, in one sentence.
 */
export async function openNodeLease(
  place: CopyPlace,
  { dataDir, log }: { dataDir: string; log: Logger },
): Promise<Lease> {
  const { quickClient: client, prefix, listBelow } = place
  await tryRights(place)
  return createLease({
    object: openLeaseObject(client, below(place, 'lease.json')),
    findLastEpoch: () => findLastEpoch(listBelow, prefix),
    owner: ensureSecret(join(dataDir, NAME_FILE), () => ({ secret: ids.uuid(), uniqueName: ids.uuid() })),
    seat: nameSeat(dataDir, ids.uuid()),
    install: {
      find: () => nameInstall(readSecret(join(dataDir, 'secrets', 'data'))),
      ensure: () => nameInstall(ensureInstallSecret(dataDir, 'data', ids)),
    },
    clock: createLeaseClock(systemClock),
    ...{ ids, log },
  })
}

const below = ({ prefix }: CopyPlace, file: string): string => (prefix === '' ? file : `${prefix}/${file}`)

/** Names an install by the secret that all its nodes have, without telling it. */
function nameInstall(secret: string): string
function nameInstall(secret: string | undefined): string | undefined
function nameInstall(secret: string | undefined): string | undefined {
  return secret && createHmac('sha256', secret).update('the lease of an install').digest('hex').slice(0, 32)
}

/** An object of a bucket as the lease needs it. */
function openLeaseObject(client: Bucket, key: string): LeaseObject {
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

/**
 * Tries on an object of its own what the lease and the copies need: to write under conditions, read, list and delete.
 *
 * @throws OperatorError in one sentence.
 */
export async function tryRights(place: CopyPlace): Promise<void> {
  const { quickClient: client, listBelow, name } = place
  const key = below(place, `try-${ids.uuid()}`)
  const object = openLeaseObject(client, key)
  try {
    const first = await object.put('1', { ifNoneMatch: '*' })
    const again = await object.put('2', { ifNoneMatch: '*' })
    const wrong = await object.put('3', { ifMatch: '"00000000000000000000000000000000"' })
    const right = first && (await object.put('4', { ifMatch: first.etag }))
    const late = first && (await object.put('5', { ifMatch: first.etag }))
    if (again || wrong || late || !right) {
      throw new OperatorError(
        `The store of ${name} does not keep conditions of writes (If-Match, If-None-Match), and without them two nodes could own one install: use a store that does, such as Amazon S3, MinIO, Cloudflare R2 or Ceph.`,
      )
    }
    const found = await object.get()
    if (found?.text !== '4' || found.etag !== right.etag || !(await listBelow(key)).includes(key)) {
      throw new OperatorError(
        `The store of ${name} does not show at once what was written to it, and without that two nodes could own one install: use a store that does, such as Amazon S3, MinIO, Cloudflare R2 or Ceph.`,
      )
    }
  } catch (error) {
    await client.ask({ method: 'DELETE', key }).catch(() => {})
    throw error
  }
  await client.ask({ method: 'DELETE', key })
}
