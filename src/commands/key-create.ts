import type { Command } from './command.ts'
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
  settings: ['DATA_DIR'],
  example: 'lookalike key create --store my-shop --origin https://shop.example',
  async run({ config, options }) {
    const key = await withInstall(config, ({ accounts, widgetKeys }) => {
      const store = accounts.requireStore(options['store'] ?? '')
      const origins = (options['origin'] ?? '').split(',').map((origin) => origin.trim())
      return widgetKeys.createForOperator(store.id, options['name'] ?? 'widget', origins)
    })
    console.log(
      options['json']
        ? JSON.stringify(key)
        : `${key.key}\nfor ${key.origins.join(', ')} (lookalike key list shows it again)`,
    )
    return 0
  },
}
