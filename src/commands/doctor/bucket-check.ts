import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { openCopyPlace } from '../../platform/litestream/place.ts'
import { parseNetworks } from '../service/open-ports.ts'
import { tryRights } from '../standby/node-lease.ts'
import { type Check, error, ok } from './check.ts'

const WITHIN_MS = 30_000

/**
 * Tries in the bucket of a node with a standby what both do there, on a small object that is deleted again.
 *
 * @returns undefined for a node without one.
 */
export async function checkBucket(config: Config): Promise<Check | undefined> {
  const address = config.COPIES_TO || config.STANDBY
  if (address === '') return undefined
  const name = 'bucket'
  const allowed = parseNetworks(config, 'FETCH_ALLOW_CIDRS')
  const late = AbortSignal.timeout(WITHIN_MS)
  try {
    const place = openCopyPlace(address, config, allowed, late)
    await tryRights(place)
    return ok(name, `This node may write, read, list and delete in ${place.name}, under conditions too`)
  } catch (fault) {
    if (!(fault instanceof OperatorError) && !late.aborted) throw fault
    const text = late.aborted
      ? `The bucket took longer than ${WITHIN_MS / 1000} s to answer`
      : (fault as Error).message.replace(/\.$/, '')
    return error(
      name,
      text,
      'Check the address, the key and its rights; the guide names them under "The bucket"',
    )
  }
}
