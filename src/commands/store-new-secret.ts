import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike store new-secret`. */
export const storeNewSecret: Command = {
  name: 'store new-secret',
  summary: 'give a store a new client_secret; the old one and its access tokens end at once',
  positionals: ['SLUG'],
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR'],
  example: 'lookalike store new-secret my-shop',
  async run({ config, options, positionals: [slug = ''] }) {
    const made = await withInstall(config, ({ stores }) => {
      const { id } = stores.requireBySlug(slug)
      return { store_id: id, slug, client_id: id, client_secret: stores.renewSecret(id, null) }
    })
    console.log(
      options['json']
        ? JSON.stringify(made)
        : `${slug} has a new client_secret; the old one has ended.

  client_id      ${made.client_id}
  client_secret  ${made.client_secret}   (shown only now)`,
    )
    return 0
  },
}
