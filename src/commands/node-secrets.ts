import { resolve } from 'node:path'
import { parseNodeCode, toBase32 } from '../core/node-code.ts'
import { OperatorError } from '../core/operator-error.ts'
import { type NodeSecrets, SECRETS_PATH } from '../features/nodes/protocol/schema.ts'
import { openNodeClient } from '../platform/nodes/client.ts'
import { writeNodeSecrets } from '../platform/nodes/secrets.ts'
import type { Command } from './cli/command.ts'
import { buildCodeOptions, findCodeProblems, readCode } from './cli/node-code.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { openEgresses } from './service/open-ports.ts'

const PRINTER = 'lookalike node invite --for standby'

/** `lookalike node secrets`. */
export const nodeSecrets: Command = {
  name: 'node secrets',
  summary: 'get the secrets of another node into DATA_DIR/secrets, for its standby',
  options: [
    {
      flag: 'from',
      value: 'URL',
      meaning: 'address that "lookalike node invite --for standby" prints there',
    },
    ...buildCodeOptions(PRINTER),
  ],
  settings: ['DATA_DIR', 'OFFLINE', 'FETCH_ALLOW_CIDRS'],
  example:
    'lookalike node secrets --from https://node-a.example:8443 --code-file code.txt --data-dir /var/lib/lookalike',
  findProblems: (options) => [
    ...(/^https:\/\/[^\s/@]+$/.test(options['from'] ?? '')
      ? []
      : ['--from must be an address like https://node-a.example:8443']),
    ...findCodeProblems(options, PRINTER),
  ],
  async run({ config, options }) {
    const url = options['from'] ?? ''
    const code = parseNodeCode(await readCode(options))
    if (!code) throw new OperatorError('The code must be what "lookalike node invite" has printed, whole')
    const { main: egress } = openEgresses(config)
    const client = openNodeClient({ egress, url, fingerprint: code.fingerprint, stop: createStopSignal() })
    const { status, json } = await client
      .call('POST', SECRETS_PATH, { json: { code: toBase32(code.secret) } })
      .catch((error: Error) => {
        throw new OperatorError(error.message)
      })
    if (status !== 200)
      throw new OperatorError(`${url} refuses: ${String((json as { message?: unknown }).message ?? status)}`)
    const dataDir = resolve(config.DATA_DIR)
    const names = await writeNodeSecrets(dataDir, (json as NodeSecrets).files).catch((error: Error) => {
      throw new OperatorError(error.message)
    })
    console.log(`written to ${dataDir}/secrets: ${names.join(', ')}`)
    return 0
  },
}
