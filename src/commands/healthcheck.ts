import { isIPv6 } from 'node:net'
import { OperatorError } from '../core/operator-error.ts'
import type { Command } from './command.ts'
import { toLocalHost } from './local-host.ts'

const PATIENCE_MS = 5_000

/** `lookalike healthcheck`: for containers and process managers. */
export const healthcheck: Command = {
  name: 'healthcheck',
  summary: 'exit with 0 if the service is ready, otherwise with 1',
  settings: ['HOST', 'PORT'],
  example: 'lookalike healthcheck --port 8080',
  async run({ config }) {
    const host = toLocalHost(config.HOST)
    const address = `http://${isIPv6(host) ? `[${host}]` : host}:${config.PORT}/health/ready`
    const response = await ask(address)
    const { status, checks } = (await response.json()) as {
      status: string
      checks: Record<string, { ok: boolean; reason?: string }>
    }
    console.log(status)
    for (const [name, { ok, reason }] of Object.entries(checks)) if (!ok) console.log(`  ${name}: ${reason}`)
    return response.ok ? 0 : 1
  },
}

async function ask(address: string): Promise<Response> {
  try {
    return await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) })
  } catch {
    throw new OperatorError(`No answer from ${address}`)
  }
}
