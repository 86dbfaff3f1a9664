import type { Feed } from '../features/catalogue/product-feeds/schema.ts'
import type { Command } from './command.ts'
import { call, FEED_SETTINGS, formatFeeds, JSON_OPTION, STORE_OPTION } from './feeds.ts'
import { createStopSignal } from './serve.ts'
import { withService } from './service-session.ts'

/** `lookalike feed list`. */
export const feedList: Command = {
  name: 'feed list',
  summary: 'list the feeds of a store with their last runs',
  options: [STORE_OPTION, JSON_OPTION],
  settings: FEED_SETTINGS,
  example: 'lookalike feed list --store my-shop',
  run(command) {
    return withService(command, createStopSignal(), async ({ client }) => {
      const list = await call<{ feeds: Feed[] }>(client, 'GET', '/v1/feeds')
      if (command.options['json'] !== undefined) console.log(JSON.stringify(list))
      else if (list.feeds.length === 0) console.log('The store has no feed. Make one: lookalike feed add URL')
      else console.log(formatFeeds(list.feeds))
      return 0
    })
  },
}
