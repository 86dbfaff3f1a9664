import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike store clear-ip-whitelist`. */
export const storeClearIpWhitelist: Command = {
  name: 'store clear-ip-whitelist',
  summary: 'empty the IP list of a store, for owners who locked themselves out',
  positionals: ['SLUG'],
  settings: ['DATA_DIR'],
  example: 'lookalike store clear-ip-whitelist my-shop',
  async run({ config, positionals: [slug = ''] }) {
    const entries = await withInstall(config, ({ stores, ipAllowlist }) =>
      ipAllowlist.clear(stores.requireBySlug(slug).id),
    )
    console.log(`${slug} can be reached from any address; entries deleted: ${entries}`)
    return 0
  },
}
