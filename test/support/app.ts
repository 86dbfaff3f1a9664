import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { createApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { operatorAct } from '../../src/core/audit.ts'
import { createByteBudget } from '../../src/core/byte-budget.ts'
import type { Clock } from '../../src/core/clock.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { Ids } from '../../src/core/ids.ts'
import { LIMITS } from '../../src/core/limits.ts'
import type { PlanName } from '../../src/core/plans.ts'
import type { Mail } from '../../src/platform/mail/mailer.ts'
import { createFileDownloads } from '../../src/platform/outbound/downloads.ts'
import { createEgress } from '../../src/platform/outbound/egress.ts'
import { parseHttpUrl } from '../../src/platform/outbound/http-url.ts'
import { createPages } from '../../src/platform/outbound/pages.ts'
import type { Message, Answer as PosterAnswer } from '../../src/platform/outbound/poster.ts'
import { createPictureFiles } from '../../src/platform/pictures/kept.ts'
import { createWorkFiles } from '../../src/platform/work-files.ts'
import type { Ports } from '../../src/ports.ts'
import { memoryDatabase } from './database.ts'
import { declaredFailures } from './declared.ts'
import { fakeEmbedder } from './embedder.ts'
import { withoutHelp } from './help.ts'

/** The secret that signs the tokens of a test app. */
export const JWT_SECRET = 'a secret that is only used in tests'
export const BASE_URL = 'http://lookalike.test'

export interface Answer<Body = Record<string, unknown>> {
  status: number
  headers: Headers
  body: Body
}

/** Creates a whole program in memory. Time stands still until `clock.advance`; only the outside world is faked. */
export function testApp(ports: Partial<Ports> = {}, settings: Record<string, string> = {}) {
  const clock = manualClock('2030-01-01T00:00:00Z')
  const ids = countingIds()
  const web = new Map<string, Uint8Array>()
  const downloads: string[] = []
  const root = mkdtempSync(join(tmpdir(), 'lookalike-test-'))
  const folder = join(root, 'pictures')
  const workFolder = join(root, 'work')
  mkdirSync(folder)
  const scheduled: (() => unknown)[] = []
  const config = loadConfig(
    { JWT_SECRET, LOG_LEVEL: 'silent', REGISTRATION: 'open', ...settings },
    {},
    (path) => readFileSync(path, 'utf8'),
  )
  const embedder = ports.embedder ?? fakeEmbedder()
  const mails: Mail[] = []
  const posts: Post[] = []
  const receiver = { answer: (_post: Post): Partial<PosterAnswer> | Promise<Partial<PosterAnswer>> => ({}) }
  const bodyFiles = createWorkFiles(join(workFolder, 'bodies'), { isKept: false })
  const built = createApp(config, () => BASE_URL, {
    db: ports.db ?? memoryDatabase({ model: embedder.model, since: clock.now() }),
    clock,
    ids,
    log: pino({ level: 'silent' }),
    tokenSecret: JWT_SECRET,
    dataSecret: 'another secret that is only used in tests',
    mailer: { isConfigured: true, send: async (mail) => void mails.push(mail) },
    poster: {
      check(url) {
        if (parseHttpUrl(url, LIMITS.fetchUrlCharsMax).protocol === 'https:') return
        throw Object.assign(new Error('Only https is allowed'), { reason: 'url_not_allowed' })
      },
      resolve: async () => {},
      async post(url, message) {
        const post = { url, ...message }
        posts.push(post)
        return { status: 200, retryAfter: undefined, text: '', ...(await receiver.answer(post)) }
      },
      isStopping: () => false,
    },
    embedder,
    shelf: { list: async () => [], find: async () => undefined, remove: async () => {} },
    fetchModel: async () => {},
    openModel: ({ name, hash = name.repeat(64).slice(0, 64) }) => fakeEmbedder({ id: name, hash }),
    moveWorld: {
      find: async () => undefined,
      findFolder: ({ dir }) => dir ?? undefined,
      machine: { readFreeDiskBytes: async () => 1e12, readFreeMemoryBytes: () => 1e12 },
      isDirSet: false,
      isChosen: false,
      dir: '/models/fake',
    },
    // The tests of moves bring their own other node.
    openNode: () => ({
      async call() {
        throw new Error('Names lead nowhere')
      },
    }),
    budget: createByteBudget(),
    fetcher: {
      async fetch(url) {
        downloads.push(url)
        const bytes = web.get(url)
        if (bytes) return bytes
        throw new ApiError('image_download_failed', 'The server answered 404', {
          details: { reason: 'http_status', upstream_status: 404 },
        })
      },
    },
    // Names lead nowhere: the tests of feeds bring their own egress.
    downloads: createFileDownloads({
      egress: createEgress({ allowCidrs: [], isOffline: false, lookup: async () => [] }),
      ...{ files: bodyFiles, ids },
    }),
    pages: createPages({
      egress: createEgress({ allowCidrs: [], isOffline: false, lookup: async () => [] }),
    }),
    files: createPictureFiles(folder, () => ids.uuid()),
    bodyFiles,
    jobFiles: createWorkFiles(join(workFolder, 'jobs'), { isKept: true }),
    readDemoPicture: async (name) => new TextEncoder().encode(`picture:7 ${name}`),
    readFreeDiskShare: async () => 0.5,
    examine: async () => [{ name: 'disk', state: 'ok', text: '5 MB are free', cure: null }],
    passwordCost: { memoryCost: 8, timeCost: 1 },
    backups: {
      make: async ({ folder, name }) => ({
        ...{ path: `${folder}/${name}`, bytes: 9, sha256: 'ab'.repeat(32), madeAt: clock.now() },
        counts: { stores: 1 },
      }),
      dataDir: root,
      isIdle: () => true,
      isThere: async () => true,
      remove: async () => {},
    },
    defer: (callback) => void scheduled.push(callback),
    ...ports,
  })

  const { db, log, record } = built.base
  const { stores } = built.install

  /** Moves a store to another plan, as the operator does at the command line. */
  const setPlan = (slug: string, plan: PlanName) =>
    void stores.setPlan(stores.requireBySlug(slug).id, plan, operatorAct(null))

  const services = { ...built.install, ...built.services }
  const app = { ...built, ...services, services, db, log, record, setPlan }

  /** Runs the chores of an hour. A failed chore does not stop the others; the first error is thrown at the end. */
  async function tidy(): Promise<void> {
    const due = built.chores.filter(({ name }) => name !== 'sending mails')
    const results = await Promise.allSettled(due.map(async ({ run }) => run()))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /** Runs once what was put off until after the answers, and waits for it. */
  async function settle(): Promise<void> {
    await Promise.all(scheduled.splice(0).map((callback) => callback()))
  }

  /** Deletes the kept pictures that have been unused for long enough. */
  const sweepPictures = async () => built.chores.find(({ name }) => name === 'deleting old pictures')?.run()
  const checkDeclared = declaredFailures(() => app.http.routes)

  /** Creates a store on a plan and returns its credentials. */
  async function store(name = 'one', plan: PlanName = 'enterprise') {
    const email = `${name}@shop.test`
    const created = await app.setup.run({
      email,
      password: 'a long password',
      storeName: name,
      slug: name,
    })
    setPlan(created.slug, plan)
    return created
  }

  /**
   * Sends a request. A plain object becomes a JSON body. A failure comes without `details.help`, which is checked here.
   *
   * @throws Error for a failure that the route does not declare, or that names no help.
   */
  async function call(
    method: string,
    path: string,
    { body, headers = {}, token }: { body?: unknown; headers?: Record<string, string>; token?: string } = {},
  ): Promise<Answer> {
    const isRaw =
      body === undefined ||
      typeof body === 'string' ||
      body instanceof FormData ||
      body instanceof URLSearchParams
    const request = new Request(BASE_URL + path, {
      method,
      headers: {
        ...(isRaw ? {} : { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    })
    const response = await app.http.handle(request)
    const answer = parseJson(await response.text())
    const isFailure = response.status >= 400 && typeof answer['error'] === 'string'
    if (isFailure) checkDeclared(method, new URL(request.url).pathname, answer['error'])
    return {
      status: response.status,
      headers: response.headers,
      body: isFailure ? withoutHelp(answer) : answer,
    }
  }

  /** Creates a store and gets a token for it by the machine grant. */
  async function signIn(name = 'one', plan: PlanName = 'enterprise'): Promise<string> {
    const { client_id, client_secret } = await store(name, plan)
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const { body: answer } = await call('POST', '/oauth/token', { body })
    return String(answer['access_token'])
  }

  let slugs = 0
  /** Gives a slug that no store of the app has, so that tests with a store each can share the app. */
  const newSlug = (): string => `store-${++slugs}`

  /** Serves a picture on the fake web and returns its address. */
  function picture(name: string, ...axes: number[]): string {
    const url = `https://img.test/${name}.jpg`
    web.set(url, pictureBytes(...axes))
    return url
  }

  async function close(): Promise<void> {
    app.services.products.thumbnails.stop()
    app.db.close()
    rmSync(root, { recursive: true, force: true })
  }

  return {
    ...app,
    tidy,
    settle,
    sweepPictures,
    clock,
    ids,
    web,
    mails,
    posts,
    receiver,
    downloads,
    scheduled,
    folder,
    workFolder,
    store,
    newSlug,
    signIn,
    call,
    picture,
    close,
  }
}

/** A webhook as its receiver gets it. */
export interface Post extends Message {
  url: string
}

export type TestApp = ReturnType<typeof testApp>

/** Bytes that the fake embedder accepts as a picture; its vector lies between the axes. */
export const pictureBytes = (...axes: number[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`picture:${axes.join(',')}`)

/** Builds a multipart body. */
export function form(fields: Record<string, string | Uint8Array<ArrayBuffer>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.set(name, value)
    else data.set(name, new Blob([value]), 'picture.jpg')
  }
  return data
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return { text }
  }
}

export function manualClock(start: string): Clock & { advance(ms: number): void } {
  let now = Date.parse(start)
  return {
    now: () => now,
    monotonic: () => now,
    advance(ms) {
      now += ms
    },
  }
}

/** Creates ids that look like UUIDs and sort by age. */
export function countingIds(): Ids {
  let n = 0
  const next = () => (++n).toString(16).padStart(12, '0')
  return {
    uuid: () => `01900000-0000-7000-8000-${next()}`,
    secret: (sizeBytes) => Buffer.from(next().padStart(sizeBytes, 's')).toString('base64url'),
  }
}
