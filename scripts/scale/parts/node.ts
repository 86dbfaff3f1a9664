import { mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPorts, type Program, spawnCommand } from './program.ts'

/** Where executables unpack their parts, whose names hold their hashes: once for all drills. */
const UNPACK_DIR = join(tmpdir(), 'lookalike-scale-unpacked')
const READY_MS = 300_000
const LOOK_MS = 25

/** One node: the executable with a data folder and ports of its own, which stay when it is killed and started again. */
export interface ScaleNode {
  name: string
  dataDir: string
  program: Program
  /** Where it serves people. */
  address: string
  /** Where other nodes reach it, over its own certificate. */
  nodeAddress: string
  settings: Record<string, string>
  readonly pid: number | undefined
  /** Starts it and waits until it listens and its model is ready. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>
  /** Starts it and waits for nothing, as for a standby. */
  launch(settings?: Readonly<Record<string, string>>): void
  untilReady(withinMs?: number): Promise<void>
  stop(): Promise<void>
  /** Waits until it ends by itself. @returns whether it did within the time. */
  untilExit(withinMs: number): Promise<boolean>
  /** Like a power cut. */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  /** Calls the node as its operator. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** The end of what it has logged. */
  log(): string
}

export interface Answer {
  status: number
  body: Record<string, unknown>
}

export interface NodeOptions {
  program: Program
  /** Words before the program, such as those that give it another clock. */
  settings?: Readonly<Record<string, string>>
}

export async function createNode(
  root: string,
  name: string,
  { program, settings: given = {} }: NodeOptions,
): Promise<ScaleNode> {
  const [port = 0, nodePort = 0] = await findPorts(2)
  const dataDir = join(root, name)
  const logFile = join(root, `${name}.log`)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const address = `http://127.0.0.1:${port}`
  const settings: Record<string, string> = {
    ...{
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: address,
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
    },
    ...{ NODE_PORT: String(nodePort), NODE_HOST: '127.0.0.1' },
    ...{ LOOKALIKE_UNPACK_DIR: UNPACK_DIR, BACKUP_EVERY_H: '0' },
    ...{ FETCH_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', TRUSTED_PROXIES: '127.0.0.1' },
    ...given,
  }
  let child: Bun.Subprocess | undefined
  const forget = () => child?.kill('SIGKILL')
  process.once('exit', forget)

  const launch = (more: Readonly<Record<string, string>> = {}) => {
    if (child && child.exitCode === null && child.signalCode === null) throw new Error(`${name} runs already`)
    const log = Bun.file(logFile)
    child = Bun.spawn([...program, 'serve'], {
      env: { ...process.env, DATA_DIR: dataDir, ...settings, ...more },
      ...{ stdin: 'ignore', stdout: 'ignore', stderr: log },
    })
  }
  const untilReady = async (withinMs = READY_MS) => {
    const deadline = performance.now() + withinMs
    for (;;) {
      const isReady = await fetch(`${address}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isReady) return
      if (child && (child.exitCode !== null || child.signalCode !== null))
        throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}:\n${readLog()}`)
      if (performance.now() > deadline) throw new Error(`${name} is not ready:\n${readLog()}`)
      await Bun.sleep(LOOK_MS)
    }
  }
  const readLog = () => {
    try {
      return readFileSync(logFile, 'utf8').slice(-4_000)
    } catch {
      return ''
    }
  }
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child?.kill(signal)
    await child?.exited
    child = undefined
  }
  return {
    ...{ name, dataDir, program, address, settings, launch, untilReady, log: readLog },
    nodeAddress: `https://127.0.0.1:${nodePort}`,
    get pid() {
      return child?.pid
    },
    async start(more) {
      launch(more)
      await untilReady()
    },
    async untilExit(withinMs) {
      const ended = child?.exited.then(() => true) ?? Promise.resolve(true)
      return Promise.race([ended, Bun.sleep(withinMs).then(() => false)])
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async call(method, path, body) {
      // A service writes a new one with each start.
      const key = readFileSync(join(dataDir, 'operator-key'), 'utf8').trim()
      const response = await fetch(address + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return {
        status: response.status,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      }
    },
  }
}

/** Runs a command of a node's program on its data folder, with its settings. */
export const spawnAt = (node: ScaleNode, words: readonly string[]) =>
  spawnCommand(node.program, node.dataDir, words, node.settings)
