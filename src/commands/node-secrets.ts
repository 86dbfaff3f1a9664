import { resolve } from 'node:path'
import { parseNodeCode, toBase32 } from '../core/node-code.ts'
import { OperatorError } from '../core/operator-error.ts'
import { type NodeSecrets, SECRETS_PATH } from '../features/nodes/protocol/schema.ts'
import { openNodeClient } from '../platform/nodes/client.ts'
import { writeNodeSecrets } from '../platform/nodes/secrets.ts'
import type { Command } from './cli/command.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { openEgresses } from './service/open-ports.ts'

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
    { flag: 'code', value: 'CODE', meaning: 'the code that it prints' },
  ],
  settings: ['DATA_DIR', 'OFFLINE', 'FETCH_ALLOW_CIDRS'],
  example:
    'lookalike node secrets --from https://node-a.example:8443 --code CODE --data-dir /var/lib/lookalike',
  findProblems: ({ from, code }) => [
    ...(from !== undefined && /^https:\/\/[^\s/@]+$/.test(from)
      ? []
      : ['--from must be an address like https://node-a.example:8443']),
    ...(code !== undefined && parseNodeCode(code)
      ? []
      : ['--code must be what "lookalike node invite" has printed, whole']),
  ],
  async run({ config, options }) {
    const url = options['from'] ?? ''
    const code = parseNodeCode(options['code'] ?? '')
    if (!code) throw new OperatorError('The code is not whole')
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
