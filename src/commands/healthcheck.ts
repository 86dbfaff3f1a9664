import { OperatorError } from '../core/operator-error.ts'
import type { Command } from './cli/command.ts'
import { formatAddress } from './service/addresses.ts'
import { OWN_SERVICE, toLocalHost } from './service/local-host.ts'

const PATIENCE_MS = 5_000

/** `lookalike healthcheck`: for containers and process managers. */
export const healthcheck: Command = {
  name: 'healthcheck',
  summary: 'exit with 0 if the service is ready, otherwise with 1',
  settings: ['HOST', 'PORT', 'TLS_CERT', 'TLS_KEY', 'DOMAIN'],
  example: 'lookalike healthcheck --port 8080',
  async run({ config }) {
    const address = formatAddress({ ...config, HOST: toLocalHost(config.HOST) })
    const { status, isReady, faults } = await readReadiness(address)
    console.log(status)
    for (const fault of faults) console.log(`  ${fault}`)
    return isReady ? 0 : 1
  },
}

/** How a running service is. */
interface Readiness {
  status: string
  isReady: boolean
  /** Failed checks, as `part: reason`. */
  faults: string[]
}

/** Asks a service of this machine how it is. @throws OperatorError if it does not answer. */
export async function readReadiness(address: string): Promise<Readiness> {
  const response = await ask(`${address}/health/ready`)
  const { status, checks } = (await response.json()) as {
    status: string
    checks: Record<string, { ok: boolean; reason?: string }>
  }
  const faults = Object.entries(checks).flatMap(([name, { ok, reason }]) =>
    ok ? [] : [`${name}: ${reason}`],
  )
  return { status, isReady: response.ok, faults }
}

/** What a service says of the program behind it. */
export interface ServiceVersion {
  version: string
  /** Of the database. */
  schema: number
}

/** Asks a service of this machine for its version. @throws OperatorError if it does not answer. */
export const readVersion = async (address: string): Promise<ServiceVersion> =>
  (await (await ask(`${address}/version`)).json()) as ServiceVersion

async function ask(address: string): Promise<Response> {
  try {
    return await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS), ...OWN_SERVICE })
  } catch {
    throw new OperatorError(`No answer from ${address}`)
  }
}
