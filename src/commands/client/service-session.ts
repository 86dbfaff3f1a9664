import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { Call } from '../cli/command.ts'
import { requireStore } from '../cli/store-choice.ts'
import { findAddress } from '../service/addresses.ts'
import { findRunningService } from '../service/data-folder.ts'
import { readOperatorKey } from '../service/operator-key.ts'
import { startService } from '../service/runtime.ts'
import { withInstall } from '../service/with-install.ts'
import { createServiceClient, type ServiceClient } from './service-client.ts'

/** The service of a data folder, called as one of its stores. */
export interface ServiceSession {
  client: ServiceClient
  storeId: string
  /** Whether this command has started the service, which ends with it. */
  isOwn: boolean
}

/**
 * Works through the service that runs on the data folder, or through one of its own while none runs.
 *
 * @param stop aborts every request.
 * @returns the exit code: that of the work, or 1 if the service was stopped before it answered.
 * @throws OperatorError if there is no such store, or if no service can be reached or started.
 */
export async function withService(
  { config, options }: Call,
  stop: AbortSignal,
  work: (session: ServiceSession) => Promise<number>,
): Promise<number> {
  const address = findRunningService(config)
  const { id: storeId } = await withInstall(config, (services) => requireStore(services, options['store']))
  return workAt(address, config, stop, (at, isOwn) =>
    work({ client: createServiceClient(at, () => issueToken(config, storeId), stop), storeId, isOwn }),
  )
}

/** The service of a data folder, called as its operator. */
export interface OperatorSession {
  client: ServiceClient
  /** Whether this command has started the service, which ends with it. */
  isOwn: boolean
}

/**
 * Works as the operator through the service that runs on the data folder, or through one of its own while none runs.
 *
 * @param stop aborts every request.
 * @returns the exit code: that of the work, or 1 if the service was stopped before it answered.
 * @throws OperatorError if there is no install, or if no service can be reached or started.
 */
export async function withOperator(
  { config }: Pick<Call, 'config'>,
  stop: AbortSignal,
  work: (session: OperatorSession) => Promise<number>,
): Promise<number> {
  const dataDir = resolve(config.DATA_DIR)
  return workAt(findRunningService(config), config, stop, (at, isOwn) =>
    work({ client: createServiceClient(at, async () => requireOperatorKey(dataDir), stop), isOwn }),
  )
}

/** @param running the address of a service that runs; without one, a service is started for this work. */
async function workAt(
  running: string | undefined,
  config: Config,
  stop: AbortSignal,
  work: (address: string, isOwn: boolean) => Promise<number>,
): Promise<number> {
  const run = async (address: string, isOwn: boolean): Promise<number> => {
    try {
      return await work(address, isOwn)
    } catch (error) {
      if (error !== stop.reason) throw error
      throw new OperatorError('Stopped before the service had answered.')
    }
  }
  if (running !== undefined) return run(running, false)
  const service = await startService(configureOwn(config), stop)
  if (!service) return 1
  try {
    return await run(service.address, true)
  } finally {
    await service.stop()
  }
}

function requireOperatorKey(dataDir: string): string {
  const key = readOperatorKey(dataDir)
  if (key) return key
  throw new OperatorError(
    `The service on ${dataDir} is of an earlier version, or is stopping: restart it, and try again.`,
  )
}

/** Nobody but this command uses its own service. The addresses of pictures are those that the next service will have. */
const configureOwn = (config: Config): Config => ({
  ...config,
  BASE_URL: findAddress(config),
  HOST: '127.0.0.1',
  PORT: 0,
  LOG_LEVEL: config.LOG_LEVEL === 'info' ? 'warn' : config.LOG_LEVEL,
})

/** A token of the store's machine grant for five minutes. */
const issueToken = (config: Config, storeId: string): Promise<string> =>
  withInstall(config, async ({ commandTokens }, { readTokenSecret }) => {
    const token = await commandTokens.issue(storeId, readTokenSecret())
    if (token === undefined) throw new OperatorError('The store is gone')
    return token
  })
