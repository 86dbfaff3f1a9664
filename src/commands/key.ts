import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { ListedKey } from '../features/access/api-keys/operator.ts'
import type { WidgetKey } from '../features/access/widget-keys/schema.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION } from './cli/options.ts'
import { formatTable } from './cli/table.ts'
import { findAddress } from './service/addresses.ts'
import { isLocalAddress } from './service/local-host.ts'
import { withInstall } from './service/with-install.ts'

/** `lookalike key create`. */
export const keyCreate: Command = {
  name: 'key create',
  summary: 'create a public widget key for one or more origins',
  options: [
    { flag: 'store', value: 'SLUG', meaning: 'the store', isRequired: true },
    {
      flag: 'origin',
      value: 'ORIGIN',
      meaning: 'exact origin of the shop; separate several with commas',
      isRequired: true,
    },
    { flag: 'name', value: 'NAME', meaning: 'name of the key; default: widget' },
    JSON_OPTION,
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL'],
  example: 'lookalike key create --store my-shop --origin https://shop.example',
  async run({ config, options }) {
    const key = await withInstall(config, ({ stores, widgetKeys }) => {
      const store = stores.requireBySlug(options['store'] ?? '')
      const origins = (options['origin'] ?? '').split(',').map((origin) => origin.trim())
      return widgetKeys.createForOperator(store.id, options['name'] ?? 'widget', origins)
    })
    console.log(options['json'] ? JSON.stringify(key) : formatCreated(key, config))
    return 0
  },
}

/** `lookalike key list`. */
export const keyList: Command = {
  name: 'key list',
  summary: 'list the API keys of one store or of all without their secrets, and the widget keys in full',
  options: [{ flag: 'store', value: 'SLUG', meaning: 'the store; default: all' }, JSON_OPTION],
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

/** `lookalike key revoke`. */
export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'revoke an API key or widget key at once, by its ID, its prefix or the key itself',
  positionals: ['ID|PREFIX'],
  settings: ['DATA_DIR'],
  example: 'lookalike key revoke sk_live_9fK2',
  async run({ config, positionals: [word = ''] }) {
    const matches = await withInstall(config, ({ keys }) => keys.revoke(word))
    const [only] = matches
    if (!only) throw new OperatorError('No such key; lookalike key list shows them all')
    if (matches.length > 1) {
      throw new OperatorError(
        `${matches.length} keys match, and none was revoked. Name one by its ID:\n${formatKeys(matches)}`,
      )
    }
    console.log(
      `The ${KINDS[only.kind]} ${only.prefix} ${JSON.stringify(only.name)} of ${only.store} has been revoked`,
    )
    return 0
  },
}

function formatCreated({ key, origins }: Pick<WidgetKey, 'key' | 'origins'>, config: Config): string {
  const address = findAddress(config)
  const lines = [
    `${key}\nfor ${origins.join(', ')} (lookalike key list shows it again)`,
    `Put this line where the camera is to stand in the shop's pages:\n  <script src="${address}/widget.js" data-key="${key}" async></script>`,
    `If the shop sends a Content-Security-Policy, add to it:\n  script-src ${address}; connect-src ${address}; img-src ${address}`,
  ]
  const isUnreachable = isLocalAddress(address) && !origins.every(isLocalAddress)
  if (isUnreachable) {
    lines.push(
      `Shoppers cannot reach ${address}: set BASE_URL to the public address of the service before you copy these lines.`,
    )
  }
  return lines.join('\n\n')
}

const KINDS = { api_key: 'API key', widget_key: 'widget key' } as const

/** One line a key, with the ID and the prefix or value that `lookalike key revoke` takes. */
function formatKeys(keys: readonly ListedKey[]): string {
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

function describeRights(key: ListedKey): string {
  if (key.kind === 'widget_key') return `${key.allowed.join(', ')} from ${key.origins.join(', ')}`
  if (key.is_expired) return 'nothing: it has expired'
  if (key.maker === 'former_member') return 'nothing: its creator has left the store'
  return key.effective_scopes.join(', ') || 'nothing: its creator lacks the permissions'
}
