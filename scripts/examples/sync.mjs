/**
 * Keeps a catalogue in step: sends a JSON list of products and waits for the job. Needs Node.js 20 and no packages.
 *
 *   CLIENT_ID=… CLIENT_SECRET=… node sync.mjs http://127.0.0.1:8080 products.json
 *
 * A list that was sent already is not worked on twice, because the key of each request is made from its content.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

/** Products that one request may hold. */
const BULK_MAX = 10_000
const TRIES = 5

const [address = 'http://127.0.0.1:8080', path = 'products.json'] = process.argv.slice(2)
const { CLIENT_ID = '', CLIENT_SECRET = '' } = process.env

/** Calls the service, again where it asks for patience. */
async function call(method, route, headers, body) {
  for (let n = 1; ; n++) {
    const answer = await fetch(address + route, { method, headers, body })
    const content = await answer.json()
    if (answer.ok) return content
    const isPassing = answer.status === 429 || answer.status === 503
    if (!isPassing || n === TRIES)
      throw new Error(`${method} ${route}: ${answer.status} ${content.error}: ${content.message}`)
    await wait(1000 * Number(answer.headers.get('retry-after') ?? n))
  }
}

const { access_token } = await call(
  'POST',
  '/oauth/token',
  {},
  new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
  }),
)
const authorization = { authorization: `Bearer ${access_token}` }

const products = JSON.parse(await readFile(path, 'utf8'))
let failed = 0
for (let start = 0; start < products.length; start += BULK_MAX) {
  const body = JSON.stringify({ products: products.slice(start, start + BULK_MAX) })
  const { job_id } = await call(
    'POST',
    '/v1/products/bulk',
    {
      ...authorization,
      'content-type': 'application/json',
      // A request whose answer was lost can be sent again without a second job.
      'idempotency-key': createHash('sha256').update(body).digest('hex'),
    },
    body,
  )
  let job
  do {
    await wait(500)
    job = await call('GET', `/v1/jobs/${job_id}`, authorization)
  } while (job.status === 'processing')
  failed += job.failed
  console.log(
    `${job.status}: ${job.succeeded} written, ${job.unchanged} unchanged, ${job.failed} failed of ${job.total}`,
  )
  for (const { product_id, error, message } of job.errors)
    console.log(`  ${product_id}: ${error}: ${message}`)
}
process.exitCode = failed > 0 ? 1 : 0
