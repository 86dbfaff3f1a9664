/**
 * Fits the maps of a model as `lookalike model add --refit` does, and prints what the same pairs and searches score with the maps
 * that its folder has and with the new ones.
 *
 *     bun scripts/model/fit.ts [model folder] [--folder FOLDER …] [--write]
 *
 * `--folder` names labelled pictures (see `bench/quality/sets.ts`), on which both are judged, and which are fitted to with
 * `--fit-folders`: the maps of the bundled model were. `--write` writes `calibration.json` and `golden.json` into the folder.
 */
import './silent.ts'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measurePairs, type Pairs } from '../../src/commands/model-proof/cosine-maps.ts'
import { listQuestions, openSetShop } from '../../src/commands/model-proof/final-maps.ts'
import { toGoldenFile } from '../../src/commands/model-proof/golden.ts'
import { findLanguages } from '../../src/commands/model-proof/languages.ts'
import { type KnownSet, readKnownSets } from '../../src/commands/model-proof/pictures.ts'
import { fitModel, loadModel } from '../../src/commands/model-proof/prove.ts'
import { median, quantile } from '../../src/commands/model-proof/statistics.ts'
import { calibrate } from '../../src/core/calibrate.ts'
import type { Calibration } from '../../src/platform/embedder/embedder.ts'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import { bundledModelDir } from '../../src/platform/native/model-folder.ts'
import { printTable } from '../bench/parts/statistics.ts'
import { readFolderSet } from '../bench/quality/sets.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', multiple: true, default: [] },
    'fit-folders': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const modelDir = positionals[0] ?? bundledModelDir()
const model = await loadModel(modelDir)
const own = await readKnownSets()
const folders = flags.folder.map(readFolder)
const sets = [...own, ...folders]
const fitted = flags['fit-folders'] ? sets : own

const pairs = new Map<KnownSet, Pairs>()
for (const set of sets) pairs.set(set, await measurePairs(set, model))
const fittedPairs = fitted.map((set) => pairs.get(set) as Pairs)
const languages = await findLanguages(own.at(-1)?.catalogue ?? [], model)
const fit = await fitModel(fitted, fittedPairs, languages, model, () => {})
const present = readModelFiles(modelDir).calibration
console.log(JSON.stringify({ languages, fit, present }, null, 1))

const rows = [['set', 'what', 'n', 'scores now: 1 in 10, median, 9 in 10', 'fitted']]
const show = (scores: readonly number[]) =>
  [0.1, 0.5, 0.9].map((share) => quantile(scores, share).toFixed(2)).join('  ')
for (const set of sets) {
  for (const [group, cosines] of Object.entries(pairs.get(set) as Pairs) as [keyof Pairs, number[]][]) {
    const map = group.endsWith('Words') ? 'text_image' : 'image_image'
    const scoresBy = (by: Calibration) => show(cosines.map((cosine) => calibrate(cosine, by[map])))
    rows.push([set.name, group, String(cosines.length), scoresBy(present), scoresBy(fit)])
  }
  for (const writes of [false, true]) {
    const ask = await openSetShop(set, writes, model)
    for (const [kind, questions] of Object.entries(listQuestions(set, sets))) {
      const groups: Record<string, { now: number[]; fitted: number[] }> = {}
      for (const { right, ...question } of questions)
        for (const [by, calibration] of [
          ['now', present],
          ['fitted', fit],
        ] as const)
          for (const [n, { id, score }] of (await ask(question, calibration)).slice(0, 5).entries()) {
            const name =
              right.size === 0 ? (n === 0 ? 'unlike, first' : '') : right.has(id) ? 'right' : 'wrong'
            if (name === '') continue
            groups[name] ??= { now: [], fitted: [] }
            groups[name][by].push(score)
          }
      for (const [name, { now, fitted }] of Object.entries(groups))
        rows.push([
          `${set.name}, ${writes ? 'all' : 'no'} names`,
          `${kind}: ${name}`,
          String(now.length),
          show(now),
          show(fitted),
        ])
    }
  }
}
printTable(rows)
console.log(
  `${median(model.times.picture).toFixed(1)} ms a picture, ${median(model.times.text).toFixed(2)} ms a text`,
)

if (flags.write) {
  const write = (name: string, made: object) =>
    Bun.write(join(modelDir, name), `${JSON.stringify(made, null, 2)}\n`)
  await write('calibration.json', fit)
  await write('golden.json', toGoldenFile(await model.embedPlainly()))
}
process.exit(0)

function readFolder(folder: string): KnownSet {
  const { name, catalogue, queries } = readFolderSet(folder)
  const toKnown = ({ product_id, category, ...rest }: (typeof catalogue)[number]) => ({
    ...{ bytes: rest.bytes, productId: product_id, name: rest.name, color: rest.color, group: rest.group },
    kind: category.toLowerCase(),
  })
  return { name, catalogue: catalogue.map(toKnown), queries: queries.map(toKnown) }
}
