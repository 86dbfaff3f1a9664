import { afterAll, beforeAll, expect, test } from 'bun:test'
import { recordBar } from './bars.ts'
import { createClient } from './client.ts'
import { type Install, newInstall, type Service, startService } from './service.ts'

const TOKENS = 24

let install: Install
let service: Service

beforeAll(async () => {
  install = await newInstall()
  service = await startService(install, { untilReady: false })
}, 60_000)
afterAll(async () => {
  await service?.crash()
  install.remove()
})

const use = async (token: string): Promise<number> =>
  (await createClient(service.address, token)('GET', '/v1/products')).status

test('a revoked token is refused at once, and after a power cut', async () => {
  const { clientId: client_id, clientSecret: client_secret } = install.account
  const grant = { grant_type: 'client_credentials', client_id, client_secret }
  const anyone = createClient(service.address)
  const tokens: string[] = []
  for (let n = 0; n <= TOKENS; n++) {
    const { status, body } = await anyone('POST', '/oauth/token', new URLSearchParams(grant))
    expect(status).toBe(200)
    tokens.push(String(body['access_token']))
  }
  const [kept = '', ...revoked] = tokens
  let late = 0
  for (const token of revoked) {
    expect(await use(token)).toBe(200)
    expect((await anyone('POST', '/oauth/revoke', new URLSearchParams({ token }))).status).toBe(200)
    if ((await use(token)) !== 401) late++
  }
  await service.crash()
  service = await startService(install, { untilReady: false })
  const after = await Promise.all(revoked.map(use))
  const alive = after.filter((status) => status !== 401).length
  const measured = `${late} still taken by the next call, ${alive} after kill -9 and a start`
  recordBar({
    bar: 17,
    part: 'revoked',
    on: 'program',
    n: revoked.length,
    measured,
    isMet: late + alive === 0,
  })
  expect({ late, alive }).toEqual({ late: 0, alive: 0 })
  expect(after.length).toBe(TOKENS)
  expect(await use(kept)).toBe(200)
}, 60_000)
