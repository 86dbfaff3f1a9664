import type { Config } from '../config.ts'
import type { WidgetKey } from '../features/access/widget-keys/schema.ts'
import { findAddress } from './addresses.ts'
import type { Command } from './command.ts'
import { isLocalAddress } from './local-host.ts'
import { withInstall } from './runtime.ts'

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
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL'],
  example: 'lookalike key create --store my-shop --origin https://shop.example',
  async run({ config, options }) {
    const key = await withInstall(config, ({ stores, widgetKeys }) => {
      const store = stores.requireBySlug(options['store'] ?? '')
      const origins = (options['origin'] ?? '').split(',').map((origin) => origin.trim())
      return widgetKeys.createForOperator(store.id, options['name'] ?? 'widget', origins)
    })
    console.log(options['json'] ? JSON.stringify(key) : format(key, config))
    return 0
  },
}

function format({ key, origins }: Pick<WidgetKey, 'key' | 'origins'>, config: Config): string {
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
