/**
 * Measures the weights of the ranking on labelled sets, in this process: the same planning and ranking as the service's, each weight of
 * `discovery/search/parameters.ts` at several values while the others stay.
 *
 *     bun scripts/bench/weights.ts [--sets demo,drawn,small,street] [--folder FOLDER …] [--names all,mixed,fantasy]
 *       [--tasks 'words|hex'] [--try keyword=3,3.5,5 …] [--set voteReach=0.5 …] [--measure p10|ndcg|r1|r5] [--object-mean]
 *
 * Without `--try` it prints all tasks at the present weights, without the vote of the first hits and with it, and 95 % intervals.
 * With it, a table of tasks and values for each weight; a value is followed by + or − where it differs from the first one,
 * with 95 % intervals of the same questions. Tasks that no value changes are left out. `--tasks` is a regular expression, `--names`
 * says what the shops write (`quality/shops.ts`), and `--set` changes a weight for all of it.
 *
 * The pictures are embedded once: 90 s for the street, and later runs read them from `dist/bench`. Then one value takes 1 to 3 s
 * for all tasks of the street with one sort of names.
 */
import '../model/silent.ts'
import { parseArgs } from 'node:util'
import { RANKING } from '../../src/features/discovery/search/parameters.ts'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import { MODEL_DIR } from './parts/options.ts'
import { mean, printTable } from './parts/statistics.ts'
import { bootstrap, judge, type Quality } from './quality/metrics.ts'
import { loadModels, type OpenShop, openShop } from './quality/offline.ts'
import { readSets } from './quality/sets.ts'
import { readShops } from './quality/shops.ts'
import { showDifference, showMean } from './quality/table.ts'
import { listTasks, type Task } from './quality/tasks.ts'

const MEASURES = { ndcg: 'ndcgAt10', p10: 'precisionAt10', r1: 'recallAt1', r5: 'recallAt5' } as const

const { values: flags } = parseArgs({
  options: {
    sets: { type: 'string', default: 'drawn,street' },
    folder: { type: 'string', multiple: true, default: [] },
    names: { type: 'string', default: 'all' },
    try: { type: 'string', multiple: true, default: [] },
    set: { type: 'string', multiple: true, default: [] },
    tasks: { type: 'string', default: '' },
    measure: { type: 'string', default: 'p10' },
    'object-mean': { type: 'boolean' },
  },
})
const measure = MEASURES[flags.measure as keyof typeof MEASURES]
if (!measure) throw new Error(`--measure is one of ${Object.keys(MEASURES).join(', ')}`)
const { calibration } = readModelFiles(MODEL_DIR)
const models = await loadModels(MODEL_DIR, flags['object-mean'])

interface Bench {
  name: string
  tasks: Task[]
  ask: OpenShop
}

const benches: Bench[] = []
for (const set of await readSets(flags.sets, flags.folder)) {
  for (const shop of readShops(flags.names)) {
    const tasks = (await listTasks(set, shop)).filter(({ name }) => new RegExp(flags.tasks).test(name))
    benches.push({ name: `${set.name}, ${shop}`, tasks, ask: await openShop(set, shop, models) })
  }
}
for (const change of flags.set) setWeight(...readTrial(change))

if (flags.try.length === 0) await printAll()
for (const trial of flags.try) await printCurve(...readTrial(trial))
await models.save()
process.exit(0)

type Weight = keyof typeof RANKING

function readTrial(trial: string): [Weight, number[]] {
  const [name = '', list = ''] = trial.split('=')
  const values = list.split(',').map(Number)
  if (!Object.hasOwn(RANKING, name)) throw new Error(`There is no weight ${name}`)
  if (list === '' || values.some(Number.isNaN)) throw new Error(`${trial}: a value is a number`)
  return [name as Weight, values]
}

function setWeight(name: Weight, [value]: readonly number[]): void {
  Object.assign(RANKING, { [name]: value })
}

/** The quality of each question, by task. */
async function judgeAll(looksTwice = true): Promise<Map<string, Quality[]>> {
  const found = new Map<string, Quality[]>()
  for (const { name: bench, tasks, ask } of benches)
    for (const { name, questions } of tasks) {
      const judged: Quality[] = []
      for (const question of questions) {
        const hits = await ask(question, calibration, undefined, looksTwice)
        judged.push(
          judge(
            hits.map(({ id }) => id),
            question.right,
          ),
        )
      }
      found.set(`${bench}: ${name}`, judged)
    }
  return found
}

function valuesOf(judged: readonly Quality[] = [], of = measure): number[] {
  return judged.map((one) => one[of])
}

async function printAll(): Promise<void> {
  const [once, twice] = [await judgeAll(false), await judgeAll()]
  const rows = Array.from(twice, ([task, second]) => {
    const first = once.get(task)
    const r1 = [valuesOf(first, 'recallAt1'), valuesOf(second, 'recallAt1')] as const
    return [
      ...[task, String(second.length), showMean(valuesOf(first)), showMean(valuesOf(second))],
      ...[showDifference(valuesOf(first), valuesOf(second)), ...r1.map((values) => percent(mean(values)))],
      percent(mean(valuesOf(second, 'ndcgAt10'))),
    ]
  })
  const head = [
    'task',
    'n',
    `first look ${flags.measure}`,
    'second look',
    'difference',
    'R@1 first',
    'second',
    'nDCG',
  ]
  printTable([head, ...rows])
}

async function printCurve(name: Weight, values: number[]): Promise<void> {
  const present = RANKING[name]
  const columns: Map<string, Quality[]>[] = []
  for (const value of values) {
    setWeight(name, [value])
    columns.push(await judgeAll())
  }
  setWeight(name, [present])
  const [reference] = columns
  const rows = Array.from(reference ?? [], ([task, first]) => [
    task,
    ...columns.map((column) => showChange(valuesOf(first), valuesOf(column.get(task)))),
  ]).filter(([, ...cells]) => new Set(cells).size > 1)
  printTable([[`${name} (now ${present}), ${flags.measure}`, ...values.map(String)], ...rows])
  console.log()
}

/** A mean, with a sign where it surely differs from another one. */
function showChange(before: readonly number[], after: readonly number[]): string {
  const { low, high } = bootstrap(after.map((value, n) => value - (before[n] as number)))
  return `${percent(mean(after))}${low > 0 ? '+' : high < 0 ? '−' : ''}`
}

function percent(value: number): string {
  return (100 * value).toFixed(1)
}
