import type { Command } from './command.ts'
import { call, FEED_SETTINGS, findFeed, JSON_OPTION, STORE_OPTION, tellRun } from './feeds.ts'
import { createStopSignal } from './serve.ts'
import { withService } from './service-session.ts'

/** `lookalike feed run`. */
export const feedRun: Command = {
  name: 'feed run',
  summary: 'pull a feed now, and wait for the end',
  positionals: ['ID|URL'],
  options: [
    STORE_OPTION,
    { flag: 'full', meaning: 'read the file also if it has not changed' },
    { flag: 'force-delete', meaning: 'delete what is missing although it is more than 20 %' },
    JSON_OPTION,
  ],
  settings: FEED_SETTINGS,
  example: 'lookalike feed run https://shop.example/export/products.csv --store my-shop',
  run(command) {
    const { options, positionals } = command
    const told = createStopSignal()
    return withService(command, told, async (session) => {
      const { id } = await findFeed(session.client, positionals[0] ?? '')
      await call(session.client, 'POST', `/v1/feeds/${id}/run`, {
        full: options['full'] !== undefined,
        force_delete: options['force-delete'] !== undefined,
      })
      return tellRun(session, id, { isJson: options['json'] !== undefined, told })
    })
  },
}
