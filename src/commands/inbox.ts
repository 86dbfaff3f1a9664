import { wrongUsage } from '../core/operator-error.ts'
import type { InboxEntry } from '../features/delivery/webhooks/schema.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

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
    const entries = await withInstall(config, async ({ accounts, stores, webhooks }) => {
      const slug = options['store'] ?? findOnly(stores.listStores().map((store) => store.slug))
      return (await webhooks.listInbox(accounts.requireStore(slug).id)).deliveries
    })
    if (options['json']) console.log(JSON.stringify(entries))
    else console.log(entries.length === 0 ? 'Nothing has happened yet.' : entries.map(format).join('\n\n'))
    return 0
  },
}

/** @throws OperatorError unless there is exactly one store. */
function findOnly(slugs: readonly string[]): string {
  const [slug] = slugs
  if (slugs.length === 1 && slug !== undefined) return slug
  throw wrongUsage(
    slugs.length === 0 ? 'There is no store yet' : `Name one of the stores with --store: ${slugs.join(', ')}`,
  )
}

const format = ({ event, state, timestamp, url, headers, body }: InboxEntry): string =>
  [
    `${timestamp}  ${event}  ${state.replace('_', ' ')}`,
    `  POST ${url ?? 'to nobody: no webhook asks for it'}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    '',
    `  ${body ?? 'The data is kept no longer.'}`,
  ].join('\n')
