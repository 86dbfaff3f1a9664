/**
 * Serves the shop of `lookalike demo --shop` for a service of your own:
 * `bun scripts/examples/shop.ts --service http://127.0.0.1:8080 --key pk_live_… [--port 8090]`.
 */
import { parseArgs } from 'node:util'
import { serveShop } from '../../src/commands/demo/serve-shop.ts'

const { values } = parseArgs({
  options: {
    service: { type: 'string', default: 'http://127.0.0.1:8080' },
    key: { type: 'string', default: '' },
    port: { type: 'string', default: '8090' },
  },
})
const { origin } = serveShop({
  service: values.service.replace(/\/+$/, ''),
  key: () => values.key,
  port: Number(values.port),
})
console.log(`The shop is at ${origin}; its widget key must list this origin.`)
