import { wrongUsage } from '../core/operator-error.ts'
import { TABLE_FORMATS } from '../features/catalogue/imports/formats/table.ts'
import type { Feed } from '../features/catalogue/product-feeds/schema.ts'
import type { Command } from './command.ts'
import { call, FEED_SETTINGS, JSON_OPTION, STORE_OPTION, tellRun } from './feeds.ts'
import { createStopSignal } from './serve.ts'
import { withService } from './service-session.ts'

/** `lookalike feed add`. */
export const feedAdd: Command = {
  name: 'feed add',
  summary: 'pull products from an address, now and regularly',
  positionals: ['URL'],
  options: [
    STORE_OPTION,
    { flag: 'every', value: 'MINUTES', meaning: 'minutes from one run to the next; default: 1440, a day' },
    { flag: 'format', value: 'FORMAT', meaning: `${TABLE_FORMATS.join(', ')}; default: as the file tells` },
    { flag: 'mapping', value: 'JSON', meaning: 'columns by the field that they fill' },
    { flag: 'delete-missing', meaning: 'delete products that this feed brought and its file names no more' },
    JSON_OPTION,
  ],
  settings: FEED_SETTINGS,
  example: 'lookalike feed add https://shop.example/export/products.csv --store my-shop --every 360',
  run(command) {
    const { options, positionals } = command
    const body = {
      url: positionals[0] ?? '',
      ...(options['every'] !== undefined && { interval_minutes: Number(options['every']) }),
      ...(options['format'] !== undefined && { format: options['format'] }),
      ...(options['mapping'] !== undefined && { mapping: readMapping(options['mapping']) }),
      ...(options['delete-missing'] !== undefined && { delete_missing: true }),
    }
    const told = createStopSignal()
    return withService(command, told, async (session) => {
      const made = await call<Feed>(session.client, 'POST', '/v1/feeds', body)
      process.stderr.write(`Feed ${made.id} of ${made.url}\n`)
      return tellRun(session, made.id, { isJson: options['json'] !== undefined, told })
    })
  },
}

function readMapping(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongUsage('--mapping must be JSON: {"product_id": "Article", "image_url": "Photo"}')
  }
}
