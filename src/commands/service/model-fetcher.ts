import type { Config } from '../../config.ts'
import { systemClock } from '../../core/clock.ts'
import { bringModel } from '../../platform/models/bring.ts'
import { createModelEgress } from '../../platform/models/hub-egress.ts'
import type { ModelShelf } from '../../platform/models/shelf.ts'
import type { Egress } from '../../platform/outbound/egress.ts'
import type { Ports } from '../../ports.ts'
import { parseNetworks } from './open-ports.ts'

/** Opens the way to the hub of models. @throws OperatorError for networks that are malformed. */
export const openModelEgress = (config: Config): Egress =>
  createModelEgress({
    allowCidrs: parseNetworks(config, 'FETCH_ALLOW_CIDRS'),
    ...{ isOffline: config.OFFLINE, clock: systemClock },
  })

/** Downloads known models whose hashes stand in the program, and puts them on the shelf. */
export function createModelFetcher(
  config: Config,
  dataDir: string,
  shelf: Pick<ModelShelf, 'add' | 'find'>,
): Ports['fetchModel'] {
  const egress = openModelEgress(config)
  return async (name, tell, signal) => {
    const options = { dataDir, shelf, egress, isTrusted: false, isOffline: config.OFFLINE, tell, signal }
    await bringModel({ name }, options)
  }
}
