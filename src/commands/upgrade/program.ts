import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { giveToOwner } from '../../platform/owner.ts'
import { readReadiness, readVersion, type ServiceVersion } from '../healthcheck.ts'

type Env = Readonly<Record<string, string | undefined>>

/** How the programs of an upgrade run. */
export interface Surroundings {
  dataDir: string
  env: Env
  stop: AbortSignal
}

/** What a program says of itself. */
export interface Build {
  version: string
  commit: string
  date: string
}

const ANSWER_MS = 60_000
const BACKUP_MS = 6 * 60 * 60_000
/** A service that is told to stop does so in 10 s. */
const STOP_MS = 20_000
const STEP_MS = 250
/** As long as systemd waits for a unit of ours. */
const MIGRATION_MS = 15 * 60_000
const SAID_CHARS = 2_000
const LOOPBACK = '127.0.0.1'
const SILENCE = 'it does not answer'

/**
 * The command line that runs a program as the user whom the data folder belongs to, so that no file of another user comes to lie
 * in it, and that ends it with this process.
 */
function asOwner(words: readonly string[], dataDir: string): string[] {
  const { uid, gid } = statSync(dataDir)
  const isOther = process.getuid?.() === 0 && uid !== 0
  const setpriv = Bun.which('setpriv')
  if (!setpriv) {
    if (!isOther) return [...words]
    throw new OperatorError(
      'The command needs "setpriv" of util-linux to run as the user of the service: install it.',
    )
  }
  const user = isOther ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : []
  return [setpriv, ...user, '--pdeathsig', 'TERM', '--', ...words]
}

/** Runs a program to its end. @throws OperatorError with what it said if it fails. */
export async function run(
  words: readonly string[],
  { dataDir, env, stop }: Surroundings,
  { limitMs = ANSWER_MS, showsProgress = false } = {},
): Promise<string> {
  const child = Bun.spawn(asOwner(words, dataDir), {
    env: { ...env, DATA_DIR: dataDir },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: showsProgress ? 'inherit' : 'pipe',
    timeout: limitMs,
    signal: stop,
  })
  const said = child.stderr ? new Response(child.stderr).text() : ''
  const [out, problem, code] = await Promise.all([new Response(child.stdout).text(), said, child.exited])
  if (code === 0) return out
  throw new OperatorError((problem || out).trim().slice(0, SAID_CHARS) || `It ended with ${code}.`)
}

/** Asks a program for its version. @throws OperatorError if it is no lookalike, or does not run here. */
export async function readBuild(program: string, around: Surroundings): Promise<Build> {
  try {
    return JSON.parse(await run([program, 'version', '--json'], around)) as Build
  } catch (error) {
    throw new OperatorError(`${program} does not tell its version: ${(error as Error).message}`)
  }
}

export const makeBackup = async (program: string, around: Surroundings): Promise<string> => {
  // The copy elsewhere may take hours: the service sends it afterwards.
  const env = { ...around.env, BACKUP_TO: '', BACKUP_TO_FILE: '' }
  const out = await run(
    [program, 'backup', '--json'],
    { ...around, env },
    { limitMs: BACKUP_MS, showsProgress: true },
  )
  return (JSON.parse(out) as { file: string }).file
}

/**
 * Starts a program on an empty folder until it is ready: database, vectors, and a model that gives the right vectors.
 *
 * @throws OperatorError if it does not become ready.
 */
export async function tryOnEmptyFolder(
  program: string,
  around: Surroundings,
  limitMs: number,
): Promise<ServiceVersion> {
  const { dataDir, env } = around
  const scratch = join(dataDir, 'upgrade-trial')
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { mode: 0o700 })
  giveToOwner(dataDir, scratch)
  const { PATH, LOOKALIKE_UNPACK_DIR } = env
  // None of the settings of the service: nothing of it must reach anybody.
  const bare = { PATH, LOOKALIKE_UNPACK_DIR, HOME: scratch, OFFLINE: '1', LOG_LEVEL: 'error' }
  try {
    return await tryService(program, { ...around, dataDir: scratch, env: bare }, limitMs)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Starts the service of a program for this machine alone until it is ready, and stops it. @throws OperatorError */
export async function tryService(
  program: string,
  around: Surroundings,
  limitMs: number,
): Promise<ServiceVersion> {
  const port = findFreePort()
  const child = Bun.spawn(asOwner([program, 'serve'], around.dataDir), {
    env: {
      ...around.env,
      DATA_DIR: around.dataDir,
      HOST: LOOPBACK,
      PORT: String(port),
      BACKUP_EVERY_H: '0',
      DOMAIN: '',
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = readEnd(child.stderr)
  // A certificate among the settings makes it speak https.
  const addresses = ['http', 'https'].map((scheme) => `${scheme}://${LOOPBACK}:${port}`)
  try {
    return await waitUntilReady(addresses, around.stop, limitMs, () =>
      child.exitCode === null ? undefined : `it ended with ${child.exitCode}: ${said().trim()}`,
    )
  } finally {
    child.kill('SIGTERM')
    // In steps: one long sleep would keep this process after its work.
    const end = performance.now() + STOP_MS
    while (child.exitCode === null && child.signalCode === null && performance.now() < end)
      await Bun.sleep(STEP_MS)
    child.kill('SIGKILL')
    await child.exited
  }
}

function findFreePort(): number {
  const listener = Bun.listen({ hostname: LOOPBACK, port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop()
  return port
}

/** Reads a stream, and gives the last of what came. */
function readEnd(stream: ReadableStream<Uint8Array>): () => string {
  let text = ''
  void (async () => {
    const decoder = new TextDecoder()
    for await (const piece of stream)
      text = (text + decoder.decode(piece, { stream: true })).slice(-SAID_CHARS)
  })().catch(() => {})
  return () => text
}

/**
 * Waits until a service is ready. The time in which it says that it migrates the database does not count, up to the quarter of
 * an hour that systemd gives it.
 *
 * @param addresses where it may answer.
 * @param findProblem says why waiting longer is in vain.
 * @throws OperatorError
 */
export async function waitUntilReady(
  addresses: readonly string[],
  stop: AbortSignal,
  limitMs: number,
  findProblem: () => string | undefined,
): Promise<ServiceVersion> {
  const hardEnd = performance.now() + MIGRATION_MS + limitMs
  let left = limitMs
  let last = SILENCE
  while (left > 0 && performance.now() < hardEnd) {
    const began = performance.now()
    for (const address of addresses) {
      const state = await ask(address)
      if (typeof state !== 'string') return state
      if (state !== SILENCE || address === addresses[0]) last = state
      if (state !== SILENCE) break
    }
    const problem = findProblem()
    if (problem) throw new OperatorError(problem)
    if (stop.aborted) throw new OperatorError('it was stopped')
    await Bun.sleep(STEP_MS)
    if (!last.includes('is being migrated')) left -= performance.now() - began
  }
  throw new OperatorError(`it did not become ready in ${Math.round(limitMs / 1000)} s: ${last}`)
}

/** @returns what a ready service is, or why it is not. */
async function ask(address: string): Promise<ServiceVersion | string> {
  try {
    const { isReady, status, faults } = await readReadiness(address)
    if (isReady) return await readVersion(address)
    return [...new Set(faults)].join('; ') || status
  } catch {
    return SILENCE
  }
}
