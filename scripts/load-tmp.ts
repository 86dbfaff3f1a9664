import './model/silent.ts'
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { createIndexLoader } from '../src/features/catalogue/product-index/loader.ts'
import { createProductIndex } from '../src/features/catalogue/product-index/product-index.ts'
import { productIndexQueries } from '../src/features/catalogue/product-index/queries.ts'
import { readModelFiles } from '../src/platform/embedder/model-files.ts'
import { createVectorArena } from '../src/platform/vectors/arena.ts'
import { createVectorTable } from '../src/platform/vectors/vec0.ts'

const db = new Database('/tmp/rank-bench/sources-1-50000-0-1-chunks/lookalike.db', { readonly: true })
db.loadExtension(sqliteVec.getLoadablePath())
const n = Number(process.argv[2] ?? 1)
for (let k = 0; k < n; k++) {
  const table = createVectorTable(db, 'vectors_1', 512)
  const index = createProductIndex(createVectorArena(512))
  const loader = createIndexLoader({
    index,
    queries: productIndexQueries(db as never, 1),
    vectors: table,
    noteFault: console.error,
    log: console as never,
  })
  const c = process.cpuUsage(),
    t = performance.now()
  const count = loader.load()
  const u = process.cpuUsage(c)
  console.log(
    count,
    'wall',
    (performance.now() - t).toFixed(0),
    'cpu',
    ((u.user + u.system) / 1000).toFixed(0),
  )
}
