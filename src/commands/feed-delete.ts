import type { Command } from './command.ts'
import { call, FEED_SETTINGS, findFeed, JSON_OPTION, STORE_OPTION } from './feeds.ts'
import { createStopSignal } from './serve.ts'
import { withService } from './service-session.ts'

/** `lookalike feed delete`. */
export const feedDelete: Command = {
  name: 'feed delete',
  summary: 'pull a feed no more; its products stay',
  positionals: ['ID|URL'],
  options: [STORE_OPTION, JSON_OPTION],
  settings: FEED_SETTINGS,
  example: 'lookalike feed delete https://shop.example/export/products.csv --store my-shop',
  run(command) {
    return withService(command, createStopSignal(), async ({ client }) => {
      const { id, url } = await findFeed(client, command.positionals[0] ?? '')
      const answer = await call<object>(client, 'DELETE', `/v1/feeds/${id}`)
      console.log(
        command.options['json'] !== undefined
          ? JSON.stringify(answer)
          : `The feed of ${url} is deleted. Its products stay.`,
      )
      return 0
    })
  },
}
