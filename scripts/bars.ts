/**
 * Prints the table of all bars of reliability and security: the demand, the runs and the measurements of each.
 *
 *     bun scripts/bars.ts [--full] [--only 1,2,27] [--markdown]
 *     bun scripts/bars.ts --from dist/bars.jsonl [--log dist/test-logs/tests.log]…
 *
 * The first form runs the tests of the bars, one file after the other, against the executable that
 * `LOOKALIKE_EXECUTABLE` names, or else against one that it builds. It uses the cheap counts; with `--full`, those that
 * the bars demand, which takes many hours. A count in the environment overrides both (`CRASH_ROUNDS=100`). Without
 * `--only` it also runs the rest of `test/robustness`. The second form only reads the records of a run, and the failures
 * in its logs. The exit code is 1 if a bar or one of these tests fails.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BarLine } from '../test/robustness/bars.ts'
import { FULL_COUNTS, SEEDS } from './bars/counts.ts'
import { BARS, type Bar } from './bars/list.ts'
import { formatMarkdown, formatText, judge, readFailures } from './bars/verdict.ts'

const { values: flags } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    from: { type: 'string' },
    log: { type: 'string', multiple: true, default: [] },
    markdown: { type: 'boolean', default: false },
  },
})

const root = join(import.meta.dir, '..')
const folder = join(root, 'dist', 'bars')
const FILE_TIMEOUT_MS = 24 * 3_600_000

const numbers = flags.only?.split(',').map(Number)
const bars = numbers ? BARS.filter(({ number }) => numbers.includes(number)) : BARS
if (bars.length === 0) throw new Error('--only must name bars, such as 1,2,27')

const [records, failures] = flags.from
  ? [flags.from, readFailures(...flags.log.map((path) => readFileSync(path, 'utf8')))]
  : await measure()
const lines = readRecords(records)
const judged = bars.map((bar) =>
  judge(
    bar,
    lines.filter((line) => line.bar === bar.number),
    listFailures(bar),
    flags.full,
  ),
)
console.log(flags.markdown ? formatMarkdown(judged) : formatText(judged))
const named = new Set(BARS.flatMap(({ suites }) => suites.map((suite) => suite.replace('./', ''))))
const elsewhere = [...failures].filter(([file]) => !named.has(file))
for (const [file, names] of elsewhere) console.log(`failed in ${file}: ${names.join(', ')}`)
process.exit(elsewhere.length > 0 || judged.some(({ verdict }) => verdict === 'fails') ? 1 : 0)

function listFailures({ suites }: Bar): string[] {
  return suites.flatMap((suite) => failures.get(suite.replace('./', '')) ?? [])
}

function readRecords(path: string): BarLine[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as BarLine)
}

/** Runs the tests of the bars. @returns the file with their records, and their failures. */
async function measure(): Promise<[string, Map<string, string[]>]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'records.jsonl')
  const env = {
    ...(flags.full && buildFullCounts()),
    ...process.env,
    ...(await prepareExecutable()),
    BARS_FILE: file,
  }
  const failed = new Map<string, string[]>()
  for (const suite of new Set([
    ...bars.flatMap(({ suites }) => suites),
    ...(numbers ? [] : listRobustness()),
  ])) {
    if (!existsSync(join(root, suite))) continue
    const begin = performance.now()
    const { code, log } = await runTests(suite, env)
    const found = readFailures(log)
    const name = suite.replace('./', '')
    // A file that fails without naming a test has failed as a whole.
    if (code !== 0 && found.size === 0) found.set(name, [`the whole file (exit code ${code})`])
    for (const [path, names] of found) failed.set(path, names)
    console.error(
      `${code === 0 ? 'ok  ' : 'FAIL'} ${name} ${Math.round((performance.now() - begin) / 1000)} s`,
    )
  }
  return [file, failed]
}

function listRobustness(): string[] {
  return readdirSync(join(root, 'test', 'robustness'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `./test/robustness/${name}`)
}

async function runTests(suite: string, env: Record<string, string | undefined>) {
  const child = Bun.spawn([process.execPath, 'test', '--timeout', String(FILE_TIMEOUT_MS), suite], {
    cwd: root,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  // Several folders contain files of the same name.
  const name = suite.replace('./test/', '').replace('.test.ts', '').replaceAll('/', '-')
  writeFileSync(join(folder, `${name}.log`), out + err)
  return { code, log: out + err }
}

/** Builds the executable under test, unless the environment names one. */
async function prepareExecutable(): Promise<{ LOOKALIKE_EXECUTABLE: string }> {
  const named = process.env['LOOKALIKE_EXECUTABLE']
  if (named) return { LOOKALIKE_EXECUTABLE: named }
  const child = Bun.spawn([process.execPath, 'build.ts'], { cwd: root, stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error('The build of the executable failed')
  return { LOOKALIKE_EXECUTABLE: join(root, 'dist', 'lookalike') }
}

function buildFullCounts(): Record<string, string> {
  const seed = process.env['TORTURE_SEED'] ?? new Date().toISOString().slice(0, 10).replaceAll('-', '')
  return {
    ...Object.fromEntries(Object.entries(FULL_COUNTS).map(([name, value]) => [name, String(value)])),
    ...Object.fromEntries(SEEDS.map((name) => [name, seed])),
  }
}
