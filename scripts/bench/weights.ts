/**
 * Measures the weights of the ranking on labelled sets, in this process: the same planning and ranking as the service's, each weight of
 * `discovery/search/parameters.ts` at several values while the others stay.
 *
 *     bun scripts/bench/weights.ts [--sets demo,drawn,small] [--folder FOLDER …] [--shops all,category,departments]
 *       [--try keyword=3,3.5,5 …] [--tasks words] [--measure ndcg|p10|r5] [--object-mean]
 *
 * Prints, for each weight, a table of tasks and values; tasks that no value changes are left out. Without `--try` it prints all
 * tasks at the present weights.
 */
import '../model/silent.ts'
import { parseArgs } from 'node:util'
import { RANKING } from '../../src/features/discovery/search/parameters.ts'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import { MODEL_DIR } from './parts/options.ts'
import { printTable } from './parts/statistics.ts'
import { average, judge, type Quality } from './quality/metrics.ts'
import { loadModels, type OpenShop, openShop } from './quality/offline.ts'
import { readDemoSet, readDrawnSet, readFolderSet, readSmallSet } from './quality/sets.ts'
import { readShop } from './quality/shops.ts'
import { listTasks, type Task } from './quality/tasks.ts'

const MEASURES = { ndcg: 'ndcgAt10', p10: 'precisionAt10', r5: 'recallAt5' } as const

const { values: flags } = parseArgs({
  options: {
    sets: { type: 'string', default: 'demo,drawn' },
    folder: { type: 'string', multiple: true, default: [] },
    shops: { type: 'string', default: 'all' },
    try: { type: 'string', multiple: true, default: [] },
    tasks: { type: 'string', default: '' },
    measure: { type: 'string', default: 'ndcg' },
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
const wanted = flags.sets.split(',')
for (const set of [
  ...(wanted.includes('demo') ? [await readDemoSet()] : []),
  ...(wanted.includes('drawn') ? [await readDrawnSet()] : []),
  ...(wanted.includes('small') ? [await readSmallSet()] : []),
  ...flags.folder.map(readFolderSet),
]) {
  const tasks = (await listTasks(set)).filter(({ name }) => new RegExp(flags.tasks).test(name))
  for (const shop of flags.shops.split(','))
    benches.push({ name: `${set.name}, ${shop}`, tasks, ask: await openShop(set, readShop(shop), models) })
}

/** The quality of each task of each set. */
async function judgeAll(): Promise<Map<string, Quality>> {
  const found = new Map<string, Quality>()
  for (const { name: bench, tasks, ask } of benches)
    for (const { name, questions } of tasks) {
      const judged: Quality[] = []
      for (const question of questions) {
        const hits = await ask(question, calibration)
        judged.push(
          judge(
            hits.map(({ id }) => id),
            question.right,
          ),
        )
      }
      found.set(`${bench}: ${name}`, average(judged))
    }
  return found
}

const show = (value: number): string => (100 * value).toFixed(1)

if (flags.try.length === 0) {
  const rows = [...(await judgeAll())].map(([task, { precisionAt10, recallAt5, ndcgAt10 }]) => [
    ...[task, show(precisionAt10), show(recallAt5), show(ndcgAt10)],
  ])
  printTable([['task', 'P@10', 'R@5', 'nDCG@10'], ...rows])
}
for (const trial of flags.try) {
  const [name = '', list = ''] = trial.split('=')
  if (!(name in RANKING)) throw new Error(`There is no weight ${name}`)
  const present = RANKING[name as keyof typeof RANKING]
  const values = list.split(',').map(Number)
  const columns: Map<string, Quality>[] = []
  for (const value of values) {
    Object.assign(RANKING, { [name]: value })
    columns.push(await judgeAll())
  }
  Object.assign(RANKING, { [name]: present })
  const rows = [...(columns[0]?.keys() ?? [])]
    .map((task) => [task, ...columns.map((column) => show(column.get(task)?.[measure] ?? 0))])
    .filter(([, ...cells]) => new Set(cells).size > 1)
  printTable([[`${name} (now ${present})`, ...values.map(String)], ...rows])
  console.log()
}
process.exit(0)
