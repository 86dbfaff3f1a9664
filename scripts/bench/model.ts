/**
 * Compares the model behind the embedder with the model alone, in the same run.
 *
 *     bun scripts/bench/model.ts [--rounds N]
 *
 * "Alone" means decoding alone and inference alone, each with all threads, in a process that does nothing else; their
 * sum is the least cost of a picture without overlap. Rounds alternate and medians are compared, because the machine may
 * be busy. The embedder runs from the sources, whatever the executable.
 */
import '../model/silent.ts'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createEmbedder } from '../../src/platform/embedder/child-embedder.ts'
import { loadBare, measureRate } from './parts/bare.ts'
import type { Bench } from './parts/bench.ts'
import { cpuMs, cpuPer, NO_CPU } from './parts/cpu.ts'
import { MODEL_DIR, ROOT } from './parts/options.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { runAlone } from './parts/run.ts'
import { median } from './parts/statistics.ts'

const ROUNDS_DEFAULT = 5
const RATE_MS = 1_000
/** Pictures that wait for indexing at a time. */
const WAITING = 24
const WORDS = 'red running shoes'

export const model: Bench = {
  name: 'model',
  rows: [
    {
      ...{ id: 'model-pictures', what: 'pictures through the model processes of the sources', unit: 'ratio' },
      ...{ against: '1 / (decoding + inference), all cores', goal: { atLeast: 0.9 } },
    },
    {
      ...{ id: 'model-words', what: 'words through the model process', unit: 'ratio' },
      against: 'text inference',
    },
    {
      ...{ id: 'model-search', what: 'a query picture while others wait for indexing', unit: 'ratio' },
      against: 'idle',
    },
  ],
  minutes: { quick: 0.75, full: 0.75 },
  async run({ rounds = ROUNDS_DEFAULT, contestants }, report) {
    const threads = availableParallelism()
    const embedder = createEmbedder({
      modelDir: MODEL_DIR,
      command: [process.execPath, join(ROOT, 'test/platform/embedder/entry.ts')],
      inferenceThreads: threads,
      log: { info() {}, warn() {}, error() {} },
    })
    await embedder.settled()
    const bare = await loadBare(threads)
    const pictures = await drawPhotographs(16)
    const decoded = await Promise.all(pictures.map((bytes) => bare.decode(bytes)))
    const pick = <Item>(items: readonly Item[], n: number) => items[n % items.length] as Item
    const embed = (priority: 'index' | 'search') => (n: number) =>
      embedder.embedPicture(pick(pictures, n), { priority, storeId: 'bench' })
    const index = () => measureRate(WAITING, RATE_MS, embed('index'))
    const search = () => measureRate(1, RATE_MS, embed('search'))

    const shares: number[] = []
    const words: number[] = []
    const searches: number[] = []
    let [indexed, cpu] = [0, NO_CPU]
    for (let round = 0; round < rounds; round++) {
      const decoding = await measureRate(threads, RATE_MS, (n) => bare.decode(pick(pictures, n)))
      const inference =
        2 *
        (await measureRate(1, RATE_MS, (n) => bare.vision([pick(decoded, 2 * n), pick(decoded, 2 * n + 1)])))
      const [before, begin] = [childrenCpu(embedder.pids().vision), performance.now()]
      const rate = await index()
      indexed += (rate * (performance.now() - begin)) / 1_000
      cpu = { ...cpu, pictures: cpu.pictures + childrenCpu(embedder.pids().vision) - before }
      shares.push(rate * (1 / decoding + 1 / inference))
      const wordsAlone = await measureRate(1, RATE_MS, () => bare.words(WORDS))
      words.push(wordsAlone / (await measureRate(1, RATE_MS, () => embedder.embedText(WORDS, 'search'))))
      const idle = await search()
      const indexing = index()
      searches.push(idle / (await search()))
      await indexing
    }
    await embedder.close()
    const contestant = contestants.at(-1)?.name ?? ''
    const say = (row: string, values: number[], more = {}) =>
      report({ row, contestant, value: median(values), ...more })
    say('model-pictures', shares, { cpu: cpuPer(indexed, NO_CPU, cpu) })
    say('model-words', words)
    say('model-search', searches)
  },
}

function childrenCpu(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMs(pid), 0)
}

if (import.meta.main) await runAlone(model)
