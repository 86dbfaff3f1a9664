import type { NodeInvite } from '../features/nodes/trust/schema.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION } from './cli/options.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { withRunningOperator } from './client/running-operator.ts'

const PURPOSES: readonly string[] = ['move', 'standby']

/** `lookalike node invite`. */
export const nodeInvite: Command = {
  name: 'node invite',
  summary:
    'print a code with which another node may send a store, or a standby may get the secrets: ten minutes, once',
  options: [
    { flag: 'for', value: 'PURPOSE', meaning: `${PURPOSES.join(' or ')}; default: move` },
    JSON_OPTION,
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike node invite',
  findProblems: ({ for: purpose }) =>
    purpose === undefined || PURPOSES.includes(purpose) ? [] : [`--for must be ${PURPOSES.join(' or ')}`],
  async run(call) {
    const body = JSON.stringify({ for: call.options['for'] ?? 'move' })
    const invite = await withRunningOperator(call.config, createStopSignal(), async (client) => {
      const headers = { 'content-type': 'application/json' }
      return (await (
        await client.send('POST', '/v1/admin/node/invites', { headers, body })
      ).json()) as NodeInvite
    })
    if (call.options['json'] !== undefined) {
      console.log(JSON.stringify(invite))
      return 0
    }
    console.log(invite.code)
    console.error(`Good until ${invite.expires_at}, and once. On the other machine:\n\n  ${invite.command}\n`)
    return 0
  },
}
