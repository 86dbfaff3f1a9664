/**
 * Runs the built executable as a new user would: alone in an empty folder, without HOME, node_modules or a network
 * setting, from the first start to a clean end. `bun scripts/smoke.ts [executable] [--model FOLDER] [--env NAME=VALUE]`; the
 * folder is that of the model inside if it is not the usual one, and the service gets the variables besides its settings.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { generateSync } from 'otplib'
import sharp from 'sharp'
import { createSandbox } from './build/sandbox.ts'

const checkout = resolve(import.meta.dir, '..')
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string' }, env: { type: 'string', multiple: true, default: [] } },
})
const executable = resolve(positionals[0] ?? join(checkout, 'dist/lookalike'))
/** Another model may take what its files take, packed or not. */
const executableBytesMax = 170_000_000 + (flags.model ? countBytes(resolve(flags.model)) : 0)
const readyWithinMs = 60_000
const exitWithinMs = 10_000
const answerWithinMs = 30_000

const JSON_BODY = { 'content-type': 'application/json' }
const PERSON = { email: 'person@shop.example', password: 'kettle drum violin' }

const box = createSandbox(executable, checkout)
const settings = {
  ...{ DATA_DIR: box.dataDir, OFFLINE: '1', LOG_LEVEL: 'warn', REGISTRATION: 'open' },
  ...Object.fromEntries(flags.env.map(readVariable)),
}
let passed = 0
let failed = 0

/** Reads `NAME=VALUE`; the value may have an equals sign, too. */
function readVariable(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new Error(`--env takes NAME=VALUE, not ${text}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** A started `lookalike serve`. */
interface Service {
  process: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  firstLine: string
  startMs: number
  log: Promise<string>
}
const running = new Set<Service>()

async function check(title: string, verify: () => unknown): Promise<void> {
  try {
    await verify()
    passed++
    console.log(`ok    ${title}`)
  } catch (error) {
    failed++
    console.log(`FAIL  ${title}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

function requireValue<Value>(value: Value | undefined, name: string): Value {
  assert(value !== undefined, `an earlier check gave no ${name}`)
  return value
}

async function start(): Promise<Service> {
  const begin = performance.now()
  const child = Bun.spawn(box.command({ ...settings, PORT: '0' }, ['serve']), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const log = new Response(child.stderr).text()
  const firstLine = await readFirstLine(child.stdout)
  const service = { process: child, firstLine, startMs: performance.now() - begin, log }
  running.add(service)
  return service
}

async function readFirstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  const reader = stream.getReader()
  while (!text.includes('\n')) {
    const { value, done } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return text.split('\n')[0] ?? ''
}

async function stop(service: Service): Promise<void> {
  running.delete(service)
  service.process.kill('SIGTERM')
  const timeout = Bun.sleep(exitWithinMs).then(() => 'late' as const)
  const end = await Promise.race([service.process.exited, timeout])
  if (end === 'late') service.process.kill('SIGKILL')
  assert(
    end === 0,
    end === 'late' ? `still running after ${exitWithinMs} ms` : `exit code ${end}: ${await service.log}`,
  )
}

function countBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** Runs a command to its end. @returns its output. */
async function run(env: Record<string, string>, args: string[]): Promise<string> {
  const child = Bun.spawn(box.command(env, args), { stdout: 'pipe', stderr: 'pipe', timeout: answerWithinMs })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  assert(code === 0, `exit code ${code}: ${err || out}`)
  return out
}

/** Sends a request with a time limit, so that a hanging service fails a check and does not stop the run. */
const send = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, signal: AbortSignal.timeout(answerWithinMs) })

async function waitUntilReady(address: string): Promise<void> {
  const deadline = performance.now() + readyWithinMs
  let last = ''
  while (performance.now() < deadline) {
    const answer = await send(`${address}/health/ready`)
    last = `${answer.status} ${await answer.text()}`
    if (answer.ok) return
    await Bun.sleep(50)
  }
  throw new Error(`not ready after ${readyWithinMs} ms: ${last}`)
}

async function readJson(request: Promise<Response>, status: number): Promise<Record<string, unknown>> {
  const answer = await request
  const text = await answer.text()
  assert(answer.status === status, `status ${answer.status} instead of ${status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as Record<string, unknown>
}

/** Reads the results of a search answer, best first. */
function readHits(answer: Record<string, unknown>): { product_id: string; similarity_score: number }[] {
  assert(Array.isArray(answer['results']), `no results in ${JSON.stringify(answer)}`)
  return answer['results']
}

function readText(record: Record<string, unknown>, name: string): string {
  const value = record[name]
  assert(typeof value === 'string' && value !== '', `no ${name} in ${JSON.stringify(Object.keys(record))}`)
  return value
}

const form = (fields: Record<string, string | Blob>) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  return body
}

/** Draws a red disc on white, with enough structure for an ordinary picture. */
async function drawPicture(): Promise<File> {
  const drawing =
    '<svg width="320" height="320"><rect width="320" height="320" fill="#fff"/>' +
    '<circle cx="160" cy="160" r="110" fill="#c8102e"/><circle cx="160" cy="160" r="50" fill="#7a0a1c"/></svg>'
  const bytes = await sharp(Buffer.from(drawing)).jpeg({ quality: 90 }).toBuffer()
  return new File([new Uint8Array(bytes)], 'red-plate.jpg', { type: 'image/jpeg' })
}

/** Describes the peak resident size of a running process in MB; empty without /proc. */
function describePeakMemory(pid: number): string {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? '' : `, peak RSS ${Math.round(Number(kilobytes) / 1024)} MB`
  } catch {
    return ''
  }
}

async function smoke(): Promise<void> {
  console.log(`smoke test of ${executable} (${box.kind})`)
  let address: string | undefined
  let account: Record<string, unknown> | undefined
  let token: string | undefined
  let service: Service | undefined
  let person: Record<string, unknown> | undefined
  const picture = await drawPicture()
  const bearer = () => ({ authorization: `Bearer ${requireValue(token, 'token')}` })
  const at = (path: string) => `${requireValue(address, 'address')}${path}`
  const signIn = (more: object = {}, status = 200) => {
    const body = JSON.stringify({ ...PERSON, ...more })
    return readJson(send(at('/oauth/login'), { method: 'POST', headers: JSON_BODY, body }), status)
  }

  await check(`the executable takes at most ${Math.ceil(executableBytesMax / 1_000_000)} MB`, () => {
    const { size } = statSync(executable)
    assert(size <= executableBytesMax, `${size} bytes`)
  })
  await check('the first line on stdout names the address', async () => {
    service = await start()
    const log = service.firstLine === '' ? await service.log : ''
    address = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(service.firstLine)?.[1]
    assert(address !== undefined, `${JSON.stringify(service.firstLine)} ${log}`)
  })
  await check('the service becomes ready', () => waitUntilReady(at('')))
  await check('lookalike setup creates a store while the service runs', async () => {
    const details = [
      '--email',
      'owner@shop.example',
      '--password',
      'correct horse battery',
      '--store',
      'Smoke',
    ]
    account = JSON.parse(await run(settings, ['setup', ...details, '--json'])) as Record<string, unknown>
    for (const name of ['store_id', 'slug', 'client_id', 'client_secret', 'user_id', 'email'])
      readText(account, name)
  })
  await check('the client credentials get a token', async () => {
    const { client_id, client_secret } = requireValue(account, 'account')
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: String(client_id),
      client_secret: String(client_secret),
    })
    token = readText(await readJson(send(at('/oauth/token'), { method: 'POST', body }), 200), 'access_token')
  })
  await check('a multipart upload of a picture is indexed', async () => {
    const metadata = JSON.stringify({ name: 'Red plate', category: 'plates', price: 12.5 })
    const body = form({ product_id: 'red-plate', image: picture, metadata })
    const answer = await readJson(send(at('/v1/products'), { method: 'POST', headers: bearer(), body }), 201)
    assert(answer['status'] === 'indexed', JSON.stringify(answer))
  })
  await check('a text search finds the product', async () => {
    const body = JSON.stringify({ query: 'red plate', limit: 5 })
    const headers = { ...bearer(), 'content-type': 'application/json' }
    const found = readHits(
      await readJson(send(at('/v1/search/text'), { method: 'POST', headers, body }), 200),
    )
    assert(found[0]?.product_id === 'red-plate', JSON.stringify(found))
  })
  await check('a search with the same picture scores the product above 0.9', async () => {
    const body = form({ image: picture, limit: '5' })
    const found = readHits(
      await readJson(send(at('/v1/search'), { method: 'POST', headers: bearer(), body }), 200),
    )
    assert(found[0]?.product_id === 'red-plate' && found[0].similarity_score > 0.9, JSON.stringify(found))
  })
  await check(
    'a new person registers, opens the link in the mail, confirms the password and signs in',
    async () => {
      const body = JSON.stringify({ client_name: 'Second', email: PERSON.email, password: PERSON.password })
      await readJson(send(at('/register'), { method: 'POST', headers: JSON_BODY, body }), 202)
      const mails = await run(settings, ['outbox', '--json'])
      const verification = /\/verify#token=([\w-]+)/.exec(mails)?.[1]
      assert(verification !== undefined, `no link in ${mails}`)
      const page = await send(at('/verify'), { headers: { accept: 'text/html' } })
      const script = /<script [^>]*\bsrc="([^"]+)"/.exec(await page.text())?.[1]
      assert(page.ok && script !== undefined, `no page with a script: status ${page.status}`)
      assert((await send(at(script))).ok, `${script} is missing`)
      const confirmation = JSON.stringify({ token: verification, password: PERSON.password })
      await readJson(send(at('/verify'), { method: 'POST', headers: JSON_BODY, body: confirmation }), 200)
      person = await signIn()
      assert(person['redirect'] === '/second/portal', JSON.stringify(person))
    },
  )
  await check(
    'a person sets up two-factor authentication with its QR code and needs it at the next sign-in',
    async () => {
      const headers = { authorization: `Bearer ${readText(requireValue(person, 'person'), 'access_token')}` }
      const call = (path: string, body?: object) =>
        readJson(
          send(at(`/v1/security/2fa/${path}`), {
            method: 'POST',
            headers: { ...headers, ...JSON_BODY },
            ...(body && { body: JSON.stringify(body) }),
          }),
          200,
        )
      const setup = await call('setup')
      assert(readText(setup, 'qr_code_url').startsWith('data:image/svg+xml;base64,'), 'no QR code')
      const secret = readText(setup, 'secret')
      const codes = (await call('enable', { totp_code: generateSync({ secret }) }))['recovery_codes']
      assert(Array.isArray(codes) && codes.length === 10, JSON.stringify(codes))
      const refused = await signIn({}, 401)
      assert(refused['error'] === 'requires_2fa', JSON.stringify(refused))
      person = await signIn({ recovery_code: codes[0] })
      assert(person['recovery_codes_left'] === 9, JSON.stringify(person))
    },
  )
  await check('an API key searches with its scope and cannot do anything else', async () => {
    const body = JSON.stringify({ name: 'Search', scopes: { search: 'execute' } })
    const headers = { ...bearer(), ...JSON_BODY }
    const created = await readJson(send(at('/v1/security/api-keys'), { method: 'POST', headers, body }), 201)
    const withKey = { 'x-api-key': readText(created, 'key'), ...JSON_BODY }
    const query = JSON.stringify({ query: 'red plate' })
    await readJson(send(at('/v1/search/text'), { method: 'POST', headers: withKey, body: query }), 200)
    await readJson(send(at('/v1/products/red-plate'), { method: 'DELETE', headers: withKey }), 403)
  })
  await check('lookalike healthcheck succeeds', () =>
    run({ ...settings, PORT: new URL(at('')).port }, ['healthcheck']),
  )
  await check('SIGTERM ends the service with exit code 0', async () => {
    const first = requireValue(service, 'service')
    console.log(`      first start ${Math.round(first.startMs)} ms${describePeakMemory(first.process.pid)}`)
    await stop(first)
  })
  await check('after a second start, the product exists and the token works', async () => {
    const second = await start()
    console.log(`      second start ${Math.round(second.startMs)} ms`)
    const home = /http:\S+/.exec(second.firstLine)?.[0]
    if (home === undefined) throw new Error(`${JSON.stringify(second.firstLine)} ${await second.log}`)
    const answer = await readJson(send(`${home}/v1/products?limit=5`, { headers: bearer() }), 200)
    assert(answer['total'] === 1, JSON.stringify(answer))
    await stop(second)
  })
  await check('the program writes nothing into its own folder', () => {
    const files = readdirSync(box.folder)
    assert(files.join() === 'lookalike', files.join())
  })
  await check(
    'a data folder that is not writable ends the program with one clear line and exit code 1',
    async () => {
      const command = box.command(
        { DATA_DIR: '/proc/nowhere', LOOKALIKE_UNPACK_DIR: '/proc/nowhere', PORT: '0' },
        ['serve'],
      )
      const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe', timeout: answerWithinMs })
      const [message, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
      assert(
        code === 1 && message.includes('/proc/nowhere') && !message.includes('    at '),
        `${code}: ${message}`,
      )
    },
  )
}

try {
  await smoke()
} finally {
  for (const service of running) service.process.kill('SIGKILL')
  box.remove()
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
