import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'
import { describeState } from './store-state.ts'

/** `lookalike store resume`. */
export const storeResume: Command = {
  name: 'store resume',
  summary: 'end the suspension of a store, and its planned deletion',
  positionals: ['SLUG'],
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR'],
  example: 'lookalike store resume my-shop',
  async run({ config, options, positionals: [slug = ''] }) {
    const state = await withInstall(config, ({ stores }) =>
      stores.resume(stores.requireBySlug(slug).id, null),
    )
    console.log(options['json'] ? JSON.stringify(describeState(state)) : `${slug} works again`)
    return 0
  },
}
