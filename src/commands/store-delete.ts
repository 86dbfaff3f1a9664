import { isoTime } from '../core/clock.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'
import { describeState } from './store-state.ts'

/** `lookalike store delete`. */
export const storeDelete: Command = {
  name: 'store delete',
  summary: 'suspend a store, and have the service delete it for good after 7 days',
  positionals: ['SLUG'],
  options: [
    { flag: 'confirm', value: 'SLUG', meaning: 'the slug once more', isRequired: true },
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike store delete my-shop --confirm my-shop',
  async run({ config, options, positionals: [slug = ''] }) {
    const state = await withInstall(config, ({ stores }) =>
      stores.planDeletion(stores.requireBySlug(slug).id, options['confirm'] ?? '', null),
    )
    console.log(
      options['json']
        ? JSON.stringify(describeState(state))
        : `${slug} is suspended, and the running service deletes it for good after ${isoTime(state.deleteAt ?? 0)}.
Restore it until then with: lookalike store resume ${slug}`,
    )
    return 0
  },
}
