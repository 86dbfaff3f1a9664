/**
 * Compares the whole service over HTTP with its bare parts, in the same run.
 *
 *     bun scripts/bench/service.ts [--products 5000,50000] [--rounds N] [--executable old/lookalike --executable dist/lookalike]
 *
 * * search by words, compared with text inference alone plus a bare scan of as many vectors;
 * * search by picture, compared with decoding and inference alone plus the bare scan;
 * * search by a product among near duplicates, and with an automatic cutoff, compared with a plain one;
 * * indexing by upload, compared with the bare model on all cores: 1 / (decode + inference), each measured alone;
 * * searches while 8 pictures are indexed at once, compared with idle ones: 1,000 each, by a process that does nothing else;
 * * how long others wait meanwhile: a process asks for `/health` every 5 ms, and a bare server in the same moments.
 *
 * The services run in processes of their own, from the sources or the executables named. The bare parts and the services
 * take turns in each round, each is first as often as last, and medians are compared, because the machine may be busy.
 * Vectors are random. The longest wait is measured to 5 ms: what begins right after an answer is seen 5 ms later.
 */
import '../model/silent.ts'
import { loadBare } from './parts/bare.ts'
import type { Bench } from './parts/bench.ts'
import { drawPhotographs } from './parts/photographs.ts'
import { runAlone } from './parts/run.ts'
import { ALIKE_ROWS, measureAlike } from './parts/service-alike.ts'
import { INDEXING_ROWS, measureIndexing } from './parts/service-indexing.ts'
import { measureSearches, SEARCH_ROWS } from './parts/service-search.ts'
import { openStock } from './parts/stock.ts'

const PHOTOGRAPHS = 240

export const service: Bench = {
  name: 'service',
  rows: [...SEARCH_ROWS, ...ALIKE_ROWS, ...INDEXING_ROWS],
  minutes: { quick: 1.75, full: 5.5 },
  async run(options, report) {
    using stock = openStock(options)
    const parts = { stock, bare: await loadBare(), pictures: await drawPhotographs(PHOTOGRAPHS) }
    await measureSearches(options, parts, report)
    await measureAlike(options, stock, report)
    await measureIndexing(options, parts, report)
  },
}

if (import.meta.main) await runAlone(service)
