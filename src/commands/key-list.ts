import type { ListedKey } from '../features/access/api-keys/operator.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'
import { formatTable } from './table.ts'

/** `lookalike key list`. */
export const keyList: Command = {
  name: 'key list',
  summary: 'list the API keys of one store or of all without their secrets, and the widget keys in full',
  options: [
    { flag: 'store', value: 'SLUG', meaning: 'the store; default: all' },
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike key list --store my-shop',
  async run({ config, options }) {
    const slug = options['store']
    const keys = await withInstall(config, ({ stores, keys }) =>
      keys.list(slug === undefined ? undefined : stores.requireBySlug(slug).slug),
    )
    if (options['json']) console.log(JSON.stringify(keys))
    else console.log(keys.length === 0 ? 'There are no keys.' : formatKeys(keys))
    return 0
  },
}

const KINDS = { api_key: 'API key', widget_key: 'widget key' } as const

/** One line per key, with the ID and the prefix or value that `lookalike key revoke` takes. */
export function formatKeys(keys: readonly ListedKey[]): string {
  return formatTable([
    ['KIND', 'KEY', 'STORE', 'ID', 'NAME', 'WHAT IT MAY DO'],
    ...keys.map((key) => [
      KINDS[key.kind],
      (key.kind === 'widget_key' && key.key) || key.prefix,
      key.store,
      key.id,
      JSON.stringify(key.name),
      describeRights(key),
    ]),
  ])
}

/** Describes a key within a sentence. */
export const describeKey = ({ kind, prefix, name, store }: ListedKey): string =>
  `the ${KINDS[kind]} ${prefix} ${JSON.stringify(name)} of ${store}`

function describeRights(key: ListedKey): string {
  if (key.kind === 'widget_key') return `${key.allowed.join(', ')} from ${key.origins.join(', ')}`
  if (key.is_expired) return 'nothing: it has expired'
  if (key.maker === 'former_member') return 'nothing: its creator has left the store'
  return key.effective_scopes.join(', ') || 'nothing: its creator lacks the permissions'
}
