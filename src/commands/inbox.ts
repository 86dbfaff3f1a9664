import type { InboxEntry } from '../features/delivery/webhooks/schema.ts'
import type { Command } from './cli/command.ts'
import { requireStore } from './cli/store-choice.ts'
import { withInstall } from './service/with-install.ts'

/** `lookalike inbox`. */
export const inbox: Command = {
  name: 'inbox',
  summary:
    'show the last 100 webhook deliveries of a store as receivers get them, with or without a receiver',
  options: [
    { flag: 'store', value: 'SLUG', meaning: 'the store; may be left out if there is only one' },
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike inbox --store my-shop',
  async run({ config, options }) {
    const entries = await withInstall(config, async (services) => {
      const { id } = requireStore(services, options['store'])
      return (await services.webhooks.listInbox(id)).deliveries
    })
    if (options['json']) console.log(JSON.stringify(entries))
    else console.log(entries.length === 0 ? 'Nothing has happened yet.' : entries.map(format).join('\n\n'))
    return 0
  },
}

const format = ({ event, state, timestamp, url, headers, body }: InboxEntry): string =>
  [
    `${timestamp}  ${event}  ${state.replace('_', ' ')}`,
    `  POST ${url ?? 'to nobody: no webhook asks for it'}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    '',
    `  ${body ?? 'The data is kept no longer.'}`,
  ].join('\n')
