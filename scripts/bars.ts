/**
 * Prints the table of all bars of reliability and security: what each demands, what was run, what was measured.
 *
 *     bun scripts/bars.ts [--full] [--only 1,2,27] [--markdown]
 *     bun scripts/bars.ts --from dist/bars.jsonl [--log dist/test-logs/tests.log]…
 *
 * The first form runs the tests that belong to the bars, one file after the other, against the executable: the one that
 * `LOOKALIKE_EXECUTABLE` names, or one that it builds. It runs the cheap set; with `--full`, the counts that the bars
 * demand, which takes many hours; a count in the environment wins over both (`CRASH_ROUNDS=100`). All of
 * `test/robustness` is run beside what the list names. The second form only reads what a run has recorded, and the
 * failures in its logs. Ends with 1 where a bar or one of these tests fails.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BarLine } from '../test/robustness/bars.ts'
import { FULL_COUNTS, SEEDS } from './bars/counts.ts'
import { BARS, type Bar } from './bars/list.ts'
import { asMarkdown, asText, failuresIn, judge } from './bars/verdict.ts'

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
  ? [flags.from, failuresIn(...flags.log.map((path) => readFileSync(path, 'utf8')))]
  : await measure()
const lines = readRecords(records)
const judged = bars.map((bar) =>
  judge(
    bar,
    lines.filter((line) => line.bar === bar.number),
    failedOf(bar),
    flags.full,
  ),
)
console.log(flags.markdown ? asMarkdown(judged) : asText(judged))
const named = new Set(BARS.flatMap(({ suites }) => suites.map((suite) => suite.replace('./', ''))))
const elsewhere = [...failures].filter(([file]) => !named.has(file))
for (const [file, names] of elsewhere) console.log(`failed in ${file}: ${names.join(', ')}`)
process.exit(elsewhere.length > 0 || judged.some(({ verdict }) => verdict === 'fails') ? 1 : 0)

function failedOf({ suites }: Bar): string[] {
  return suites.flatMap((suite) => failures.get(suite.replace('./', '')) ?? [])
}

function readRecords(path: string): BarLine[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as BarLine)
}

/** Runs the tests of the bars. @returns the file of their records, and their failures. */
async function measure(): Promise<[string, Map<string, string[]>]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'records.jsonl')
  const env = { ...(flags.full && fullCounts()), ...process.env, ...(await executable()), BARS_FILE: file }
  const failed = new Map<string, string[]>()
  for (const suite of new Set([...bars.flatMap(({ suites }) => suites), ...(numbers ? [] : robustness())])) {
    if (!existsSync(join(root, suite))) continue
    const begin = performance.now()
    const { code, log } = await runTests(suite, env)
    const found = failuresIn(log)
    const name = suite.replace('./', '')
    // A file that ends badly without naming a test has failed as a whole.
    if (code !== 0 && found.size === 0) found.set(name, [`the whole file (exit code ${code})`])
    for (const [path, names] of found) failed.set(path, names)
    console.error(
      `${code === 0 ? 'ok  ' : 'FAIL'} ${name} ${Math.round((performance.now() - begin) / 1000)} s`,
    )
  }
  return [file, failed]
}

function robustness(): string[] {
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
  // Files of one name lie in several folders.
  const name = suite.replace('./test/', '').replace('.test.ts', '').replaceAll('/', '-')
  writeFileSync(join(folder, `${name}.log`), out + err)
  return { code, log: out + err }
}

/** The executable under test, built where none is named. */
async function executable(): Promise<{ LOOKALIKE_EXECUTABLE: string }> {
  const named = process.env['LOOKALIKE_EXECUTABLE']
  if (named) return { LOOKALIKE_EXECUTABLE: named }
  const child = Bun.spawn([process.execPath, 'build.ts'], { cwd: root, stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error('The executable cannot be built')
  return { LOOKALIKE_EXECUTABLE: join(root, 'dist', 'lookalike') }
}

function fullCounts(): Record<string, string> {
  const seed = process.env['TORTURE_SEED'] ?? new Date().toISOString().slice(0, 10).replaceAll('-', '')
  return {
    ...Object.fromEntries(Object.entries(FULL_COUNTS).map(([name, value]) => [name, String(value)])),
    ...Object.fromEntries(SEEDS.map((name) => [name, seed])),
  }
}
