import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromBase32, shownCode } from '../support/authenticator.ts'
import { recordBar } from './bars.ts'
import { createClient, type JsonAnswer } from './client.ts'
import {
  type Install,
  newInstall,
  productForm,
  runCommand,
  type Service,
  startService,
  until,
} from './service.ts'

const SECRETS_MIN = 12
const DATA_SECRET = 'this signs tokens and must be written nowhere at all'
const NEW_PASSWORD = 'a password chosen at registration'
const WRONG_PASSWORD = 'a password that is somebody else’s'

let install: Install
let service: Service
const log: string[] = []
/** Answers that are refusals: what they say is shown to anybody. */
const refusals: string[] = []

beforeAll(async () => {
  install = await newInstall()
  const settings = { LOG_LEVEL: 'trace', JWT_SECRET: DATA_SECRET }
  service = await startService(install, { settings, onLog: (line) => void log.push(line) })
}, 60_000)
afterAll(async () => {
  await service?.crash()
  install.remove()
})

/** Uses everything that gives or takes a secret. @returns the secrets by their names. */
async function useEverything(): Promise<Record<string, string>> {
  const { clientId: client_id, clientSecret, email, password } = install.account
  const noted = (answer: JsonAnswer) => {
    if (answer.status >= 400) refusals.push(answer.text)
    return answer.body
  }
  const as = (token?: string) => {
    const client = createClient(service.address, token)
    return async (...request: Parameters<typeof client>) => noted(await client(...request))
  }
  const anyone = as()
  const text = (body: Record<string, unknown>, name: string): string => {
    const value = body[name]
    if (typeof value !== 'string' || value === '') throw new Error(`no ${name} in ${JSON.stringify(body)}`)
    return value
  }
  const grant = (client_secret: string) =>
    anyone(
      'POST',
      '/oauth/token',
      new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
    )
  const machine = text(await grant(clientSecret), 'access_token')
  const person = text(await anyone('POST', '/oauth/login', { email, password }), 'access_token')
  await anyone('POST', '/oauth/login', { email, password: WRONG_PASSWORD })
  const refreshed = text(await as(machine)('POST', '/oauth/refresh'), 'access_token')
  const backend = as(refreshed)
  const scopes = { products: ['read', 'write'], search: 'execute' }
  const made = await backend('POST', '/v1/security/api-keys', { name: 'canary', scopes })
  const key = text(made, 'key')
  const rotated = text(await backend('POST', `/v1/security/api-keys/${made['id']}/rotate`, {}), 'key')
  await as(rotated)('POST', '/v1/products', await productForm('canary', 1))
  await as(rotated)('POST', '/v1/search/text', { query: 'red' })
  const secret = text(await as(person)('POST', '/v1/security/2fa/setup'), 'secret')
  const totp_code = shownCode(secret, Date.now())
  const { recovery_codes } = await as(person)('POST', '/v1/security/2fa/enable', { totp_code })
  const [used = '', unused = ''] = recovery_codes as string[]
  await anyone('POST', '/oauth/login', { email, password, recovery_code: used })
  await anyone('POST', '/register', { client_name: 'New', email: 'new@shop.test', password: NEW_PASSWORD })
  await anyone('POST', '/oauth/password/forgot', { email })
  // One mail names its token twice: in the link that verifies and in the one that deletes. Another is written after its answer.
  let links: string[] = []
  await until('both mails wait', async () => {
    const mails = await runCommand(install.dataDir, 'outbox', '--json')
    links = [...new Set([...mails.matchAll(/token=([\w-]{20,})/g)].map(([, token]) => String(token)))]
    return links.length >= 2
  })
  for (const token of links) {
    await anyone('GET', `/verify?token=${token}`)
    await anyone('POST', '/verify', { token, password: NEW_PASSWORD })
  }
  // Secrets where they do not belong: what is refused must not repeat them.
  await anyone('POST', '/oauth/login', { email, password: { text: WRONG_PASSWORD } })
  await as(key)('POST', '/v1/products', {
    product_id: 'x',
    image_url: WRONG_PASSWORD,
    password: NEW_PASSWORD,
  })
  await as(`${machine}x`)('GET', '/v1/products')
  await anyone('GET', `/v1/products?access_token=${refreshed}`)
  return {
    'client secret': clientSecret,
    'password of the owner': password,
    'password that was wrong': WRONG_PASSWORD,
    'password at registration': NEW_PASSWORD,
    'token of the backend': machine,
    'token after a refresh': refreshed,
    'token of a person': person,
    'API key': key,
    'API key after a rotation': rotated,
    'secret of the authenticator': secret,
    'its bytes': fromBase32(secret).toString('latin1'),
    'recovery code that was used': used,
    'recovery code that was not': unused,
    'link that verifies': String(links[0]),
    'link to a new password': String(links[1]),
    'secret that signs tokens': DATA_SECRET,
  }
}

/** Everything on the disk but the folder that holds secrets by its name, byte by byte. */
const onDisk = (): [string, string][] =>
  readdirSync(install.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(install.dataDir, 'secrets')))
    .map((path) => [path.slice(install.dataDir.length + 1), readFileSync(path, 'latin1')])

test('no secret stands in the database, its log, the lines of the log at its finest, or a refusal', async () => {
  const secrets = await useEverything()
  const places = [
    // While it runs, when the log of the database is full, and after it.
    ...onDisk(),
    ['the log lines', log.join('\n')] as const,
    ['the refusals', refusals.join('\n')] as const,
  ]
  expect(await service.stop()).toBe(0)
  places.push(...onDisk())
  const hits = places.flatMap(([place, bytes]) =>
    Object.entries(secrets)
      .filter(
        ([, secret]) => bytes.includes(secret) || bytes.includes(Buffer.from(secret).toString('latin1')),
      )
      .map(([name]) => `${name} in ${place}`),
  )
  const n = Object.keys(secrets).length
  const measured = `${hits.length} hits in ${new Set(places.map(([place]) => place)).size} places, ${log.length} log lines, ${refusals.length} refusals`
  recordBar({ bar: 22, part: 'secrets', on: 'program', n, measured, isMet: hits.length === 0 })
  expect(hits).toEqual([])
  expect(n).toBeGreaterThanOrEqual(SECRETS_MIN)
  expect(new Set(Object.values(secrets)).size).toBe(n)
  expect(log.length).toBeGreaterThan(20)
  expect(refusals.length).toBeGreaterThanOrEqual(4)
  expect(places.map(([place]) => place)).toContain('lookalike.db-wal')
  // What may be read is found, so the secrets would be.
  expect(places.filter(([, bytes]) => bytes.includes('new@shop.test')).length).toBeGreaterThan(0)
  expect(log.join()).toContain('/oauth/login')
}, 120_000)
