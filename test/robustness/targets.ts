import { decodeJwt } from 'jose'
import pino from 'pino'
import { type Db, openDatabase } from '../../src/platform/db/open.ts'
import { pictureBytes, testApp } from '../support/app.ts'
import { DIMENSION as FAKE_DIMENSION } from '../support/embedder.ts'
import { addPerson, getToken } from '../support/people.ts'
import { listChildren, readCpu, startProber, type Waits } from './figures.ts'
import type { Answer } from './published.ts'
import type { WildRequest } from './requests.ts'
import { newInstall, PROGRAM, smallPicture, startService } from './service.ts'

/** The target of wild and valid requests: the whole program in the test's process, or in its own process. */
export interface Target {
  /** Sends a request and gives the raw answer. @throws Error if none comes. */
  send(request: Pick<WildRequest, 'method' | 'url' | 'headers' | 'body'>): Promise<Answer>
  tokens: { machine: string; person: string; key: string }
  clientId: string
  clientSecret: string
  dimension: number
  picture(seed: number): Promise<Uint8Array<ArrayBuffer>>
  pictureUrl(seed: number): string
  /** Undoes changes that would refuse every later request: an IP list, a refreshed token, a new client secret. */
  letIn(): void
  /** The failures in the program's log. */
  failures: string[]
  db: Db
  picturesDir: string
  /** Measures the cost of all requests. Call it once, at the end. */
  figures(): Promise<Figures>
  /** Waits for the program's work after its answers, and stops it. @returns the problems of the stop. */
  stop(): Promise<string[]>
  remove(): Promise<void>
}

export interface Figures {
  /** Processor time so far, in ms: of the program itself, and of its child processes. */
  cpuMs: number
  childrenCpuMs: number
  /** Undefined if no other client can send requests. */
  waits?: Waits
}

const SEEDS = 24
/** Short enough that the token outlives 100,000 requests. */
const STEP_MS = 500

/** Starts the program in this process, with a predictable model and a clock that advances with each request. */
export async function startInProcess(): Promise<Target> {
  const failures: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void failures.push(line) })
  const app = testApp({ log }, { TOKEN_LIFETIME_S: '86400' })
  const { client_id: clientId, client_secret: clientSecret } = await app.store('one')
  const grant = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const machine = String((await app.call('POST', '/oauth/token', { body: grant })).body['access_token'])
  const person = await getToken(app, await addPerson(app, 'owner', [{ store: 'one', role: 'owner' }]))
  const key = String(
    (await app.call('POST', '/v1/security/api-keys', { token: machine, body: KEY })).body['key'],
  )
  const picture = async (seed: number) => pictureBytes(seed % 7, (seed >> 3) % 7)
  const pictureUrl = (seed: number) => `https://img.test/${seed % SEEDS}.png`
  for (let seed = 0; seed < SEEDS; seed++) app.web.set(pictureUrl(seed), await picture(seed))
  for (const n of [1, 2]) app.picture(String(n), n)
  let cpuMs = 0
  return {
    async send({ method, url, headers, body }) {
      app.clock.advance(STEP_MS)
      const init = { method, headers, ...(body !== undefined && { body: body as string }) }
      const begin = process.cpuUsage()
      const answer = await app.http.handle(new Request(`http://lookalike.test${url}`, init))
      const text = await answer.text()
      const used = process.cpuUsage(begin)
      cpuMs += (used.user + used.system) / 1_000
      const type = answer.headers.get('content-type') ?? ''
      return { status: answer.status, type, headers: Object.fromEntries(answer.headers), text }
    },
    ...{ tokens: { machine, person, key }, clientId, clientSecret, dimension: FAKE_DIMENSION },
    ...{ picture, pictureUrl, failures, db: app.db, picturesDir: app.folder },
    letIn: createDoorkeeper(app.db, person),
    figures: async () => ({ cpuMs, childrenCpuMs: 0 }),
    async stop() {
      for (const callback of app.scheduled) callback()
      return []
    },
    remove: () => app.close(),
  }
}

/**
 * Starts a service in its own process: the sources, or the executable.
 *
 * @param program another program than the one under test.
 */
export async function startProgram(program: readonly string[] = PROGRAM): Promise<Target> {
  const install = await newInstall()
  const failures: string[] = []
  const settings = { FETCH_ALLOW_CIDRS: '127.0.0.1/32', TOKEN_LIFETIME_S: '86400' }
  const service = await startService(install, {
    settings,
    program,
    onLog: (line) => void failures.push(line),
  })
  const pictures = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch: async ({ url }) => new Response(await picture(Number(/(\d+)\.png$/.exec(url)?.[1] ?? 0))),
  })
  const picture = async (seed: number) =>
    (await (await smallPicture(seed % SEEDS)).bytes()) as Uint8Array<ArrayBuffer>
  const { clientId, clientSecret, email, password } = install.account
  const answered = async (path: string, init: RequestInit) => {
    const answer = await fetch(service.address + path, { method: 'POST', ...init })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const json = { 'content-type': 'application/json' }
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { access_token: machine = '' } = await answered('/oauth/token', { body: new URLSearchParams(grant) })
  const { access_token: person = '' } = await answered('/oauth/login', {
    headers: json,
    body: JSON.stringify({ email, password }),
  })
  const { key = '' } = await answered('/v1/security/api-keys', {
    headers: { ...json, authorization: `Bearer ${machine}` },
    body: JSON.stringify(KEY),
  })
  const version = (await (await fetch(`${service.address}/version`)).json()) as {
    model: { dimension: number }
  }
  const db = openDatabase(install.dataDir)
  const prober = startProber(service.address)
  const before = { own: readCpu(service.pid), children: sumChildrenCpu(service.pid) }
  const isAlive = () => service.process.exitCode === null && service.process.signalCode === null
  return {
    async send({ method, url, headers, body }) {
      const init = { method, headers, ...(body !== undefined && { body: body as string }) }
      try {
        const answer = await fetch(service.address + url, { ...init, redirect: 'manual', signal: patience() })
        return {
          status: answer.status,
          type: answer.headers.get('content-type') ?? '',
          headers: Object.fromEntries(answer.headers),
          text: await answer.text(),
        }
      } catch (error) {
        throw new Error(`${isAlive() ? 'no answer' : 'the program has ended'}: ${error}`)
      }
    },
    ...{ tokens: { machine, person, key }, clientId, clientSecret, dimension: version.model.dimension },
    ...{ picture, failures, db, picturesDir: `${install.dataDir}/pictures` },
    pictureUrl: (seed) => `http://127.0.0.1:${pictures.port}/${seed % SEEDS}.png`,
    letIn: createDoorkeeper(db, person),
    figures: async () => ({
      cpuMs: readCpu(service.pid) - before.own,
      childrenCpuMs: sumChildrenCpu(service.pid) - before.children,
      waits: await prober.stop(),
    }),
    async stop() {
      const code = await service.stop()
      return code === 0 ? [] : [`the program ended with ${code}`]
    },
    async remove() {
      db.close()
      await pictures.stop(true)
      await service.crash()
      install.remove()
    },
  }
}

/** A key with every right that keys can have. */
const KEY = {
  name: 'fuzz',
  scopes: { products: ['read', 'write', 'delete', 'bulk'], search: ['execute', 'read', 'write'] },
}

const patience = () => AbortSignal.timeout(30_000)

const sumChildrenCpu = (pid: number): number =>
  listChildren(pid).reduce((sum, child) => sum + readCpu(child), 0)

/** See {@link Target.letIn}: restores the rows that are in the database now, if a request has removed them. */
function createDoorkeeper(db: Db, personToken: string): () => void {
  const { sid } = decodeJwt(personToken)
  db.exec(`CREATE TEMP TABLE kept_sessions AS SELECT * FROM sessions;
    CREATE TEMP TABLE kept_keys AS SELECT * FROM api_keys;
    CREATE TEMP TABLE kept_stores AS SELECT id, client_secret_hash, secret_generation FROM stores`)
  const isShut = db.prepare<[{ sid: unknown }], { isShut: number }>(
    `SELECT EXISTS (SELECT 1 FROM ip_entries WHERE cidr <> '127.0.0.0/8') OR EXISTS (SELECT 1 FROM revoked_tokens)
       OR EXISTS (SELECT * FROM kept_stores EXCEPT SELECT id, client_secret_hash, secret_generation FROM stores)
       OR EXISTS (SELECT id, jti FROM kept_sessions WHERE id = @sid EXCEPT SELECT id, jti FROM sessions)
       OR EXISTS (SELECT id, key_hash, scopes, expires_at FROM kept_keys
         EXCEPT SELECT id, key_hash, scopes, expires_at FROM api_keys) AS isShut`,
  )
  return () => {
    if (!isShut.get({ sid })?.isShut) return
    db.exec(`BEGIN IMMEDIATE;
      DELETE FROM ip_entries WHERE cidr <> '127.0.0.0/8';
      DELETE FROM revoked_tokens;
      UPDATE stores SET (client_secret_hash, secret_generation) =
        (SELECT client_secret_hash, secret_generation FROM kept_stores WHERE kept_stores.id = stores.id)
        WHERE id IN (SELECT id FROM kept_stores);
      INSERT OR REPLACE INTO sessions SELECT * FROM kept_sessions;
      INSERT OR REPLACE INTO api_keys SELECT * FROM kept_keys;
      COMMIT`)
  }
}
