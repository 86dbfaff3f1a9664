import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { findRunningService } from '../service/data-folder.ts'
import { readOperatorKey } from '../service/operator-key.ts'
import { createServiceClient, type ServiceClient } from './service-client.ts'

/** Works as the operator through the service that runs on the data folder. @throws OperatorError where none runs. */
export function withRunningOperator<Result>(
  config: Config,
  stop: AbortSignal,
  work: (client: ServiceClient) => Promise<Result>,
): Promise<Result> {
  const dataDir = resolve(config.DATA_DIR)
  const address = findRunningService(config)
  const key = readOperatorKey(dataDir)
  if (address === undefined || key === undefined)
    throw new OperatorError(
      `No service runs on ${dataDir}: other nodes reach nothing else. Start it with lookalike serve`,
    )
  return work(createServiceClient(address, async () => key, stop))
}
