import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { type Install, killGroup, newInstall, type Service, spawnService, startService } from './service.ts'

const ROOT = join(import.meta.dir, '../..')
const LITESTREAM = join(ROOT, 'node_modules/@flydotio/litestream-linux-x64/litestream')
const LOG_LINES = 20
const PACE_MS = 15

/** The object store of the drills, which can be away. */
export class ObjectStore implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'lookalike-store-'))
  port = 0
  #process: Subprocess | undefined

  async start(): Promise<void> {
    const child = Bun.spawn(
      [
        ...[process.execPath, join(ROOT, 'scripts/scale/object-store.ts'), '--folder', this.folder],
        ...['--bucket', 'copies', '--port', String(this.port)],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    this.#process = child
    for await (const piece of child.stdout) {
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(new TextDecoder().decode(piece))?.[1]
      if (found === undefined) continue
      this.port = Number(found)
      return
    }
    throw new Error('the object store did not start')
  }

  /** Ends it as a store ends for its clients: what it has begun to write is written. */
  async stop(): Promise<void> {
    this.#process?.kill('SIGTERM')
    await this.#process?.exited
  }

  settings = (): Record<string, string> => ({
    ...{
      S3_ENDPOINT: `http://127.0.0.1:${this.port}`,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    ...{ FETCH_ALLOW_CIDRS: '127.0.0.0/8', BACKUP_EVERY_H: '0', LITESTREAM, LOG_LEVEL: 'info' },
  })

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#process?.exited
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** One of two machines of an install. */
interface Machine {
  dataDir: string
  log: string[]
  processes: Subprocess[]
}

/** An install on two machines with a bucket. Whatever it started ends with it, also when a test fails in the middle. */
export class Pair implements AsyncDisposable {
  readonly store: ObjectStore
  readonly install: Install
  readonly owner: Machine
  readonly standby: Machine
  #made = 0

  private constructor(store: ObjectStore, install: Install, standbyDir: string) {
    this.store = store
    this.install = install
    this.owner = { dataDir: install.dataDir, log: [], processes: [] }
    this.standby = { dataDir: standbyDir, log: [], processes: [] }
  }

  static async open(): Promise<Pair> {
    const store = new ObjectStore()
    await store.start()
    const install = await newInstall()
    const dataDir = mkdtempSync(join(tmpdir(), 'lookalike-standby-'))
    cpSync(join(install.dataDir, 'secrets'), join(dataDir, 'secrets'), { recursive: true })
    return new Pair(store, install, dataDir)
  }

  #start = (machine: Machine, settings: Record<string, string>) => ({
    settings: { ...this.store.settings(), ...settings },
    onLog: (line: string) => machine.log.push(line),
    onStart: (child: Subprocess) => machine.processes.push(child),
  })

  startOwner = (settings: Record<string, string> = {}): Promise<Service> =>
    startService(this.owner, this.#start(this.owner, { COPIES_TO: 's3://copies/shop', ...settings }))

  /** Resolves when the standby has taken over. */
  startStandby(settings: Record<string, string> = {}): Promise<Service> {
    const started = startService(
      this.standby,
      this.#start(this.standby, { STANDBY: 's3://copies/shop', ...settings }),
    )
    // A test that fails before it waits for the standby kills it.
    started.catch(() => {})
    return started
  }

  /** Starts the machine of the owner again, and does not wait. */
  spawnOwner = (): Subprocess =>
    spawnService(this.owner, this.#start(this.owner, { COPIES_TO: 's3://copies/shop' })).child

  /** Kills everything on a machine, as one that loses its power. */
  async kill({ processes, dataDir }: Machine): Promise<void> {
    for (const child of processes) killGroup(child.pid)
    // The copier is in a group of its own.
    for (const pid of listProcesses(dataDir)) killGroup(pid)
    await Promise.all(processes.splice(0).map((child) => child.exited))
  }

  /** Writes a rule, in a moment: a store has room for a few hundred. @returns its name if it was acknowledged. */
  async write({ address }: Service): Promise<{ name?: string; status: number; error?: string }> {
    await Bun.sleep(PACE_MS)
    const name = `rule ${++this.#made}`
    const answer = await fetch(`${address}/v1/store/rules`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.install.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ name, when: { words: [`word${this.#made}`] } },
        then: [{ action: 'pin', product_id: `p${this.#made}`, position: 1 }],
      }),
    })
    const body = (await answer.json()) as { error?: string }
    return answer.status === 201 ? { name, status: 201 } : { status: answer.status, ...body }
  }

  async listRules({ address }: Service): Promise<Set<string>> {
    const names = new Set<string>()
    const headers = { authorization: `Bearer ${this.install.token}` }
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
      const answer = await fetch(`${address}/v1/store/rules?limit=100${query}`, { headers })
      const page = (await answer.json()) as { rules: { name: string }[]; next_cursor?: string | null }
      for (const { name } of page.rules) names.add(name)
      cursor = page.next_cursor || undefined
    }
    return names
  }

  /** What both machines said last: printed beside what failed. */
  readLogs = (): string =>
    [this.owner, this.standby]
      .map(({ log }, at) => [at === 0 ? 'owner:' : 'standby:', ...log.slice(-LOG_LINES)].join('\n  '))
      .join('\n')

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.kill(this.owner), this.kill(this.standby)])
    await this.store[Symbol.asyncDispose]()
    this.install.remove()
    rmSync(this.standby.dataDir, { recursive: true, force: true })
  }
}

/** The leaders of the process groups that work on a data folder. */
function listProcesses(dataDir: string): number[] {
  const groups = new Set<number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(dataDir)) continue
      // The name of the program stands in brackets; state, parent and group follow.
      const group = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2]
      if (group !== undefined) groups.add(Number(group))
    } catch {
      // It has ended.
    }
  }
  return [...groups]
}
