import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Subprocess } from 'bun'
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createTokens } from '../../src/http/access-tokens.ts'
import { encoded, noisePicture } from '../platform/embedder/pictures.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const JWT_SECRET = 'a secret that is only used in robustness tests'
const STEP_MS = 5
const READY_MS = 60_000
/** The folder where the executable unpacks its parts, once for all tests. */
export const UNPACK_DIR = join(tmpdir(), 'lookalike-robust-unpacked')

/** The service under test: the sources, or the executable that `LOOKALIKE_EXECUTABLE` names. */
export const PROGRAM = process.env['LOOKALIKE_EXECUTABLE']
  ? [process.env['LOOKALIKE_EXECUTABLE']]
  : [process.execPath, MAIN]

/** A store with a token that outlives every restart. */
export interface Store {
  storeId: string
  token: string
  /** The credentials of its backend and of its owner. */
  account: { clientId: string; clientSecret: string; email: string; password: string }
}

/** A store in a data folder of its own. */
export interface Install extends Store {
  dataDir: string
  remove(): void
}

export async function newInstall(): Promise<Install> {
  const outer = mkdtempSync(join(tmpdir(), 'lookalike-robust-'))
  const dataDir = join(outer, 'data')
  const store = await newStore(dataDir, 'owner@shop.test')
  return { dataDir, ...store, remove: () => rmSync(outer, { recursive: true, force: true }) }
}

/** Creates a further store in a data folder. */
export async function newStore(dataDir: string, email: string): Promise<Store> {
  const account = { email, password: 'a long password', storeName: 'Robust', isAnother: true }
  const config = loadConfig({}, { 'data-dir': dataDir })
  const created = await withInstall(config, ({ setup }) => setup.run(account), { mayMake: true })
  const { store_id: storeId, client_id: clientId, client_secret: clientSecret } = created
  const claims = { sub: storeId, jti: `robust-${storeId}`, user_type: 'client' as const }
  const token = await createTokens(JWT_SECRET, systemClock).sign(claims, 86_400)
  return { storeId, token, account: { clientId, clientSecret, email, password: account.password } }
}

export interface StartOptions {
  settings?: Record<string, string>
  /** A program in place of the one under test. */
  program?: readonly string[]
  /** A command that starts the program in another environment; the program's command line is appended. */
  wrap?: readonly string[]
  /** Receives every line of stderr. */
  onLog?: (line: string) => void
  /** Whether to wait for the model; true by default. */
  untilReady?: boolean
  /** Gets the process as soon as it runs: one that waits to listen has to be killed, too. */
  onStart?: (process: Subprocess) => void
}

/** A running service: one process group, so that it can be killed with its children. */
export interface Service {
  address: string
  pid: number
  process: Subprocess
  /** Kills the service and its children at once with SIGKILL, like a power cut. */
  crash(): Promise<void>
  /** Stops the service with SIGTERM. @returns the exit code. */
  stop(): Promise<number>
}

/** Starts the service without waiting for anything; see {@link startService}. */
export function spawnService({ dataDir }: Pick<Install, 'dataDir'>, options: StartOptions = {}) {
  const { settings = {}, program = PROGRAM, wrap = [], onLog, onStart } = options
  const child = Bun.spawn([...wrap, ...program, 'serve'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      LOOKALIKE_UNPACK_DIR: UNPACK_DIR,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: '0',
      OFFLINE: '1',
      REGISTRATION: 'open',
      LOG_LEVEL: 'error',
      JWT_SECRET,
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  onStart?.(child)
  const log: string[] = []
  const logged = eachLine(child.stderr, (line) => {
    log.push(line)
    onLog?.(line)
  })
  return { child, log, logged }
}

/** Starts the service and waits until it is ready for everything, or only until it listens. */
export async function startService(
  install: Pick<Install, 'dataDir'>,
  options: StartOptions = {},
): Promise<Service> {
  const { child, log, logged } = spawnService(install, options)
  const address = Promise.withResolvers<string>()
  void eachLine(child.stdout, (line) => {
    const found = /^listening on (\S+)$/.exec(line)?.[1]
    if (found) address.resolve(found)
  }).then(() => address.reject(new Error(`The service ended before it listened: ${log.join('\n')}`)))
  const service: Service = {
    address: await address.promise,
    pid: child.pid,
    process: child,
    async crash() {
      killGroup(child.pid)
      await child.exited
      await logged
    },
    async stop() {
      child.kill('SIGTERM')
      const code = await child.exited
      await logged
      return code
    },
  }
  if (options.untilReady ?? true) await untilReady(service)
  return service
}

/** Runs a subcommand of the program on a data folder. @returns its output. @throws Error if it fails. */
export async function runCommand(dataDir: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', LOOKALIKE_UNPACK_DIR: UNPACK_DIR, DATA_DIR: dataDir }
  const child = Bun.spawn([...PROGRAM, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`)
  return out
}

/** Waits until model, database, vectors and disk are ready. */
export const untilReady = ({ address }: Service): Promise<void> =>
  until('the service is ready', async () => (await fetch(`${address}/health/ready`)).ok, READY_MS)

/** Kills a process and its group, if it still runs. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function eachLine(stream: ReadableStream<Uint8Array>, visit: (line: string) => void): Promise<void> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) visit(line)
  }
  if (rest) visit(rest)
}

/** Waits until a condition holds. @throws Error after `deadlineMs`. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadlineMs = 30_000,
): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Not true after ${deadlineMs} ms: ${what}`)
    await Bun.sleep(STEP_MS)
  }
}

/** Reads the resident memory of a process in MB: now, and its peak. Linux only. */
export function readMemory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

const drawn = new Map<number, Promise<File>>()

/** Draws a small picture that differs from those with other seeds. */
export function smallPicture(seed: number): Promise<File> {
  const known = drawn.get(seed) ?? draw(seed)
  drawn.set(seed, known)
  return known
}

async function draw(seed: number): Promise<File> {
  const bytes = await encoded(noisePicture(64, 64, seed + 1).png())
  return new File([bytes as Uint8Array<ArrayBuffer>], 'picture.png', { type: 'image/png' })
}

/** Builds the multipart body of one product. */
export async function productForm(
  productId: string,
  seed: number,
  metadata: Record<string, unknown> = {},
): Promise<FormData> {
  const form = new FormData()
  form.set('product_id', productId)
  form.set('metadata', JSON.stringify(metadata))
  form.set('image', await smallPicture(seed))
  return form
}
