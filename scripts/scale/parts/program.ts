import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ROOT } from '../../bench/parts/options.ts'

/** The words that start the program: an executable, or the sources. */
export type Program = readonly [string, ...string[]]

/** @param executable as it was given; `sources` for the sources. @throws Error if there is none. */
export function openProgram(executable = 'dist/lookalike'): Program {
  if (executable === 'sources') return [process.execPath, join(ROOT, 'src/main.ts')]
  const path = resolve(executable)
  if (!existsSync(path)) throw new Error(`There is no executable ${executable}. Build it: bun build.ts`)
  return [path]
}

export interface Outcome {
  code: number
  out: string
  err: string
}

/** Runs a command of the program on a data folder, to its end. */
export async function runCommand(
  program: Program,
  dataDir: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawnCommand(program, dataDir, words, settings)
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

export function spawnCommand(
  program: Program,
  dataDir: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Bun.Subprocess<'ignore', 'pipe', 'pipe'> {
  const child = Bun.spawn([...program, ...words], {
    env: { ...process.env, ...settings, DATA_DIR: dataDir },
    ...({ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const),
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  void child.exited.then(() => process.off('exit', kill))
  return child
}

/** The same, and throws unless it succeeds. @returns what it printed. */
export async function mustRun(
  ...[program, dataDir, words, settings]: Parameters<typeof runCommand>
): Promise<string> {
  const { code, out, err } = await runCommand(program, dataDir, words, settings)
  if (code !== 0) throw new Error(`lookalike ${words.join(' ')} ended with ${code}: ${err || out}`)
  return out
}

/** A folder for one drill, which goes with the process. */
export function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `lookalike-${name}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Exits in order, so that what was started ends as well.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  return folder
}

/** Ports that nobody listens on now. */
export async function findPorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((found, failed) => {
          server.once('error', failed)
          server.listen(0, '127.0.0.1', () => found((server.address() as { port: number }).port))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
  return ports
}
