/**
 * Runs all benchmarks and prints their table: figure, CPU milliseconds, goal and verdict of each row.
 *
 *     bun scripts/bench/all.ts [--full] [--only service,lists] [--executable old/lookalike --executable dist/lookalike]
 *       [--products 5000,50000] [--rounds N] [--row-seconds N] [--keep FOLDER] [--write]
 *     bun scripts/bench/all.ts --from dist/bench.json [--write]
 *
 * By default it measures stores of 5,000 and 50,000 products, within a quarter of an hour; `--full` goes up to 1,000,000, within
 * 40 minutes, and takes some 15 GB of disk. Without `--executable` it takes `dist/lookalike`; of several, the last is judged, and a column
 * for each other divides the new figure by the old one, and the run takes so many times as long. Each bench runs as a process of
 * its own, each measurement within `--row-seconds`. One that fails, or takes twice as long as it says of itself, leaves rows
 * not measured; the table names it, the others still run, and the exit code is 1.
 *
 * The figures also go to `dist/bench.json`, each as soon as it is known. `--from` prints the table of such a file; together with
 * `--only` it measures these benches again and keeps the others. `--write` writes `results.md` beside this file.
 */
import '../model/silent.ts'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bulk } from './bulk.ts'
import { bytes } from './bytes.ts'
import { disk } from './disk.ts'
import { idle } from './idle.ts'
import { lists } from './lists.ts'
import { model } from './model.ts'
import { overload } from './overload.ts'
import type { Bench, Figure } from './parts/bench.ts'
import { ROOT, readOptions } from './parts/options.ts'
import {
  composeResults,
  describeFailures,
  describeRun,
  listMissing,
  mergeFigure,
  mergeRun,
  type Results,
} from './parts/results.ts'
import type { Message } from './parts/run.ts'
import { allow, estimate } from './parts/schedule.ts'
import { describeFigure, formatMarkdown, tabulate } from './parts/table.ts'
import { requests } from './requests.ts'
import { rules } from './rules.ts'
import { scan } from './scan.ts'
import { searches } from './searches.ts'
import { service } from './service.ts'
import { signIn } from './sign-in.ts'
import { start } from './start.ts'
import { words } from './words.ts'

/** In the order of the table. */
export const BENCHES: readonly Bench[] = [
  service,
  bulk,
  searches,
  overload,
  lists,
  requests,
  start,
  idle,
  bytes,
  disk,
  scan,
  words,
  rules,
  signIn,
  model,
]

const RESULTS = join(ROOT, 'dist/bench.json')
const PAGE = join(import.meta.dir, 'results.md')
const LONG_RUNS = join(import.meta.dir, 'long-runs.md')

/** A bench that is told to end gives up what it does at the next step, and long steps take so many seconds. */
const GRACE_SECONDS = 60

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values: own, tokens } = parseArgs({
    args: Bun.argv.slice(2),
    options: {
      only: { type: 'string' },
      from: { type: 'string' },
      write: { type: 'boolean', default: false },
      full: { type: 'boolean' },
      products: { type: 'string' },
      rounds: { type: 'string' },
      'row-seconds': { type: 'string' },
      keep: { type: 'string' },
      executable: { type: 'string', multiple: true },
    },
    tokens: true,
  })
  const shared = tokens.flatMap((token) =>
    token.kind === 'option' && !['only', 'from', 'write'].includes(token.name)
      ? [token.rawName, ...(token.value === undefined ? [] : [token.value])]
      : [],
  )
  const names = own.only?.split(',')
  const unknown = names?.filter((name) => !BENCHES.some((bench) => bench.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`There is no bench ${unknown.join(', ')}`)
  if (own.write && names && !own.from)
    throw new Error('--write with --only needs the other figures: --from dist/bench.json')
  const chosen = own.from && !names ? [] : BENCHES.filter(({ name }) => names?.includes(name) ?? true)

  const before = own.from ? readResults(own.from) : undefined
  const isWhole = chosen.length === 0 ? before !== undefined : await measure(chosen, shared, before)
  const results = chosen.length === 0 ? before : readResults(RESULTS)
  if (!results) throw new Error('There are no figures')
  const rows = BENCHES.filter(({ name }) => own.from || !names || names.includes(name))
  console.log(
    [
      describeRun(results),
      formatMarkdown(tabulate(rows, results.figures, results.contestants)),
      describeFailures(results),
    ].join('\n\n'),
  )
  for (const { id } of listMissing(results, rows)) console.error(`There is no figure of ${id}`)
  if (own.write) writeFileSync(PAGE, composeResults(results, BENCHES, readFileSync(LONG_RUNS, 'utf8')))
  process.exit(isWhole ? 0 : 1)
}

/** Files of earlier versions do not say how the benches ran. */
function readResults(path: string): Results {
  return { runs: [], ...(JSON.parse(readFileSync(path, 'utf8')) as Omit<Results, 'runs'>) }
}

/** Runs benches one after the other and keeps the file of results up to date. @returns whether none failed. */
async function measure(
  benches: readonly Bench[],
  flags: readonly string[],
  before: Results | undefined,
): Promise<boolean> {
  const executable = join('dist', 'lookalike')
  const args = flags.some((flag) => flag === '--executable')
    ? [...flags]
    : [...flags, '--executable', executable]
  // Read here too, so that a mistake shows at once.
  const options = readOptions(args)
  const scope = flags.includes('--full') ? 'full' : 'quick'
  const keep = options.keep ?? mkdtempSync(join(tmpdir(), 'lookalike-bench-'))
  const clear = () => {
    if (options.keep === undefined) rmSync(keep, { recursive: true, force: true })
  }
  // Large stores would stay in the temporary folder. The bench ends by itself.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      clear()
      process.exit(1)
    })
  }
  const again = new Set(benches.flatMap(({ rows }) => rows.map(({ id }) => id)))
  const contestants = options.contestants.map(({ name }) => name)
  let results: Results = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`,
    contestants,
    figures: before?.figures.filter(({ row }) => !again.has(row)) ?? [],
    runs: before?.runs.filter(({ bench }) => !benches.some(({ name }) => name === bench)) ?? [],
  }
  const save = () => writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 1)}\n`)
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  save()
  const begin = performance.now()
  const minutesSince = (from: number) => (performance.now() - from) / 60_000
  let isWhole = true
  try {
    for (const [n, bench] of benches.entries()) {
      const used = minutesSince(begin)
      const left = estimate(benches.slice(n), scope, contestants.length)
      console.error(
        `${n + 1}/${benches.length} ${bench.name}: ${used.toFixed(1)} minutes are over, about ${left.toFixed(0)} to go`,
      )
      const minutes = allow(bench, scope, contestants.length, used)
      const [since, loadBefore] = [performance.now(), readLoad()]
      const failure = await runBench(bench.name, [...args, '--keep', keep], minutes, (figure) => {
        results = mergeFigure(results, figure)
        save()
        console.error(`    ${describeFigure(bench, figure)}`)
      })
      isWhole &&= failure === undefined
      const seconds = (performance.now() - since) / 1_000
      results = mergeRun(results, {
        ...{ bench: bench.name, seconds, load: [loadBefore, readLoad()] },
        ...(failure !== undefined && { failure }),
      })
      save()
      console.error(
        `${failure ? 'FAIL' : 'ok'} ${bench.name} ${seconds.toFixed(0)} s${failure ? `: ${failure}` : ''}`,
      )
    }
  } finally {
    clear()
  }
  return isWhole
}

function readLoad(): number {
  return loadavg()[0] ?? Number.NaN
}

/** @returns why it failed; undefined if it ended well. */
async function runBench(
  name: string,
  args: readonly string[],
  minutes: number,
  take: (figure: Figure) => void,
): Promise<string | undefined> {
  if (minutes === 0) return 'no time was left'
  let failure: string | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `${name}.ts`), ...args], {
    stdout: 'ignore',
    stderr: 'inherit',
    ipc(message: Message) {
      if ('figure' in message) take(message.figure)
      else failure = message.failure
    },
  })
  const stop = setTimeout(() => {
    failure = `stopped after ${minutes.toFixed(0)} minutes`
    child.kill('SIGTERM')
  }, minutes * 60_000)
  const kill = setTimeout(() => child.kill('SIGKILL'), minutes * 60_000 + GRACE_SECONDS * 1_000)
  const code = await child.exited
  clearTimeout(stop)
  clearTimeout(kill)
  return failure ?? (code === 0 ? undefined : `ended with ${code}`)
}
