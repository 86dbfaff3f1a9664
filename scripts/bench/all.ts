/**
 * Runs all benchmarks and prints their table: figure, CPU milliseconds, goal and verdict of each row.
 *
 *     bun scripts/bench/all.ts [--full] [--only service,lists] [--executable old/lookalike --executable dist/lookalike]
 *       [--products 5000,50000] [--rounds N] [--keep FOLDER] [--write]
 *     bun scripts/bench/all.ts --from dist/bench.json [--write]
 *
 * By default it measures stores of 5,000 and 50,000 products, in about a quarter of an hour; `--full` goes up to 1,000,000
 * and takes some 15 GB of disk. Without `--executable` it takes `dist/lookalike`; of several, the last is judged, and a column
 * for each other divides the new figure by the old one. Each bench runs as a process of its own; one that fails leaves its
 * rows not measured, and the exit code is 1.
 *
 * The figures also go to `dist/bench.json`, each as soon as it is known. `--from` prints the table of such a file; together with
 * `--only` it measures these benches again and keeps the others. `--write` writes `results.md` beside this file.
 */
import '../model/silent.ts'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { disk } from './disk.ts'
import { lists } from './lists.ts'
import { model } from './model.ts'
import { overload } from './overload.ts'
import type { Bench, Figure } from './parts/bench.ts'
import { ROOT, readOptions } from './parts/options.ts'
import { composeResults, describeRun, mergeFigure, type Results } from './parts/results.ts'
import type { Message } from './parts/run.ts'
import { formatMarkdown, tabulate } from './parts/table.ts'
import { requests } from './requests.ts'
import { scan } from './scan.ts'
import { service } from './service.ts'
import { signIn } from './sign-in.ts'
import { start } from './start.ts'
import { words } from './words.ts'

/** In the order of the table. */
export const BENCHES: readonly Bench[] = [
  service,
  overload,
  lists,
  requests,
  start,
  disk,
  scan,
  words,
  signIn,
  model,
]

const RESULTS = join(ROOT, 'dist/bench.json')
const PAGE = join(import.meta.dir, 'results.md')
const LONG_RUNS = join(import.meta.dir, 'long-runs.md')

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

  const before = own.from ? (JSON.parse(readFileSync(own.from, 'utf8')) as Results) : undefined
  const isWhole = chosen.length === 0 ? before !== undefined : await measure(chosen, shared, before)
  const results = chosen.length === 0 ? before : (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results)
  if (!results) throw new Error('There are no figures')
  const rows = BENCHES.filter(({ name }) => own.from || !names || names.includes(name))
  const content = `${describeRun(results)}\n\n${formatMarkdown(tabulate(rows, results.figures, results.contestants))}`
  console.log(content)
  if (own.write) writeFileSync(PAGE, composeResults(results, BENCHES, readFileSync(LONG_RUNS, 'utf8')))
  process.exit(isWhole ? 0 : 1)
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
  let results: Results = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`,
    contestants: options.contestants.map(({ name }) => name),
    figures: before?.figures.filter(({ row }) => !again.has(row)) ?? [],
  }
  const save = () => writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 1)}\n`)
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  save()
  let isWhole = true
  try {
    for (const { name } of benches) {
      const begin = performance.now()
      const code = await runBench(name, [...args, '--keep', keep], (figure) => {
        results = mergeFigure(results, figure)
        save()
      })
      isWhole &&= code === 0
      const seconds = ((performance.now() - begin) / 1_000).toFixed(0)
      console.error(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} ${seconds} s`)
    }
  } finally {
    clear()
  }
  return isWhole
}

/** @returns its exit code. */
async function runBench(
  name: string,
  args: readonly string[],
  take: (figure: Figure) => void,
): Promise<number> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `${name}.ts`), ...args], {
    stdout: Bun.file('/dev/stderr'),
    stderr: 'inherit',
    ipc: ({ figure }: Message) => take(figure),
  })
  return child.exited
}
