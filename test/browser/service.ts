import { afterAll, beforeAll } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const EXECUTABLE = join(import.meta.dir, '../../dist/lookalike')
/** Where all tests that start the executable let it unpack its parts, once. */
const UNPACK_DIR = join(tmpdir(), 'lookalike-robust-unpacked')

interface Service {
  address: string
  /** Runs a command beside the service and gives what it printed. */
  run(...words: string[]): Promise<string>
  stop(): Promise<void>
}

/** Starts the executable on a free port in an empty data folder. @throws Error when it has not been built. */
export async function startExecutable(settings: Record<string, string> = {}): Promise<Service> {
  if (!existsSync(EXECUTABLE)) throw new Error('dist/lookalike is missing: bun build.ts makes it')
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-browser-'))
  const env = { DATA_DIR: folder, LOOKALIKE_UNPACK_DIR: UNPACK_DIR }
  const child = Bun.spawn([EXECUTABLE, 'serve'], {
    env: { ...env, PORT: '0', LOG_LEVEL: 'warn', REGISTRATION: 'open', ...settings },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const address = /^listening on (\S+)$/m.exec(new TextDecoder().decode(value))?.[1]
  if (!address) throw new Error('The service ended before it listened')
  return {
    address,
    run: (...words) =>
      new Response(Bun.spawn([EXECUTABLE, ...words], { env, stderr: 'inherit' }).stdout).text(),
    async stop() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Gives the tests of a file one service, which runs from the first test to the last. */
export function openService(settings?: Record<string, string>): Omit<Service, 'stop'> {
  let service: Service
  beforeAll(async () => {
    service = await startExecutable(settings)
  }, 60_000)
  afterAll(() => service.stop(), 30_000)
  return {
    get address() {
      return service.address
    },
    get run() {
      return service.run
    },
  }
}

/** Settings with which the service believes {@link clientAddress}. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1/32' }

/** The headers of the client at an address of its own, one for each number: few tries a minute are allowed from one. */
export const clientAddress = (n: number): Record<string, string> => ({
  'x-forwarded-for': `192.0.2.${n}`,
})

/** Indexes the demo catalogue, with a token; a model that is busy on a small machine is asked again. @throws Error for a refusal. */
export async function installDemo(
  address: string,
  token: string,
  more: Record<string, string> = {},
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const headers = { ...more, authorization: `Bearer ${token}` }
    const answer = await fetch(`${address}/v1/products/demo`, { method: 'POST', headers })
    if (answer.ok) return
    if (answer.status !== 503 || tries === 10) throw new Error(`${answer.status} ${await answer.text()}`)
    await Bun.sleep(Number(answer.headers.get('retry-after') ?? 1) * 1000)
  }
}
