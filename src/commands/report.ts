import { createBackoff } from '../core/backoff.ts'
import type { CatalogueReport } from '../features/catalogue/report/schema.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION, STORE_OPTION } from './cli/options.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { formatTable, makeVisible } from './cli/table.ts'
import type { ServiceClient } from './client/service-client.ts'
import { withService } from './client/service-session.ts'

const PATH = '/v1/catalogue/report'

/** Products of one finding that are printed; `--json` has all. */
const SHOWN = 10

/** Pauses before the report is read again, in ms; each reading spends a request of the plan. */
const poll = createBackoff({ first: 500, factor: 2, longest: 10_000 })

/** `lookalike report`. */
export const report: Command = {
  name: 'report',
  summary: 'print what may be wrong in the catalogue of a store',
  options: [STORE_OPTION, { flag: 'new', meaning: 'make a new report first, and wait for it' }, JSON_OPTION],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'JWT_SECRET'],
  essentials: ['DATA_DIR'],
  example: 'lookalike report --store my-shop',
  run(call) {
    return withService(call, createStopSignal(), async ({ client }) => {
      const kept = await read(client)
      const isWanted = call.options['new'] !== undefined || kept.state === 'none'
      const shown = isWanted ? await makeNew(client) : kept
      console.log(call.options['json'] === undefined ? format(shown) : JSON.stringify(shown))
      return 0
    })
  },
}

const read = async (client: ServiceClient): Promise<CatalogueReport> =>
  (await (await client.send('GET', PATH)).json()) as CatalogueReport

async function makeNew(client: ServiceClient): Promise<CatalogueReport> {
  await client.send('POST', PATH)
  process.stderr.write('A new report is being made. A store gets one every five minutes at most.\n')
  for (let tries = 0; ; tries++) {
    const now = await read(client)
    if (now.state !== 'waiting') return now
    await Bun.sleep(poll(tries))
  }
}

function format({ made_at, products, findings }: CatalogueReport): string {
  const head = `${products} products, looked at on ${made_at ?? 'no day yet'}.`
  if (findings.length === 0) return `${head}\nNothing was found.`
  const parts = findings.map(({ text, products: named, count }) => {
    const shown = named.slice(0, SHOWN)
    const table = formatTable(shown.map(({ product_id, reason }) => [`  ${product_id}`, reason]))
    const more = count > shown.length ? `\n  and ${count - shown.length} more` : ''
    return `${makeVisible(text)}\n${table}${more}`
  })
  return [head, ...parts].join('\n\n')
}
