import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contestant, MODEL_DIR, type Options } from './options.ts'
import { type MeasuredService, startMeasuredService } from './process.ts'
import { type Credentials, type SeedOptions, seedStore, wantNoThumbnails } from './seed.ts'

/** Part of the names of folders; a change makes old ones useless. */
const VERSION = 2

/** An install of many small stores, and the products of each. */
export const MANY_STORES = { stores: 1_000, isThroughVec0: true } as const
export const EACH = 50

/** A data folder of one contestant. */
export interface Filled {
  folder: string
  credentials: Credentials
  /** What was seeded, before any program migrated it. */
  seed: string
  /** What every start of its contestant needs. */
  settings: Record<string, string>
  /** Starts its contestant, and waits until its model is ready. */
  start(settings?: Readonly<Record<string, string>>, log?: Bun.BunFile): Promise<MeasuredService>
}

/**
 * Filled stores, seeded once and copied for each contestant, which migrates its own. They stay for the next bench, so
 * whoever adds products gives them ids of its own.
 */
export interface Stock extends Disposable {
  /** Where contestants unpack their parts, and other files may lie. */
  root: string
  /** @throws Error if the contestant finds nothing in what was seeded. */
  fill(contestant: Contestant, products: number, seed?: SeedOptions): Promise<Filled>
}

export function openStock({ keep }: Pick<Options, 'keep'>): Stock {
  const root = keep ?? mkdtempSync(join(tmpdir(), 'lookalike-bench-'))
  mkdirSync(root, { recursive: true })
  const clear = () => {
    if (keep === undefined) rmSync(root, { recursive: true, force: true })
  }
  // Large stores would stay behind a bench that is interrupted.
  process.once('exit', clear)
  const settingsOf = (contestant: Contestant) => ({
    LOOKALIKE_UNPACK_DIR: join(root, `unpacked-${keyOf(contestant)}`),
  })
  return {
    root,
    async fill(contestant, products, seed = {}) {
      const { kinds = 0, stores = 1, isThroughVec0 = false } = seed
      const name = [VERSION, products, kinds, stores, isThroughVec0 ? 'vec0' : 'chunks'].join('-')
      const base = join(root, `seed-${name}`)
      makeWhole(base, (folder) => {
        const credentials = seedStore(folder, MODEL_DIR, products, seed)
        writeFileSync(join(folder, CREDENTIALS), JSON.stringify(credentials))
      })
      const credentials = JSON.parse(readFileSync(join(base, CREDENTIALS), 'utf8')) as Credentials
      const folder = join(root, `${keyOf(contestant)}-${name}`)
      const needed = settingsOf(contestant)
      const start = (settings = {}, log?: Bun.BunFile) =>
        startMeasuredService(folder, contestant.executable, { ...needed, ...settings }, log)
      if (!existsSync(folder)) {
        makeWhole(folder, (copy) => cpSync(base, copy, { recursive: true }))
        if (!(await findsAny(start, credentials)) && products > 0) {
          rmSync(folder, { recursive: true })
          throw new Error(`${contestant.name} finds none of the seeded products: it has another model`)
        }
        wantNoThumbnails(folder)
      }
      return { folder, credentials, seed: base, settings: needed, start }
    },
    [Symbol.dispose]: clear,
  }
}

/** Starts a contestant, which migrates its folder, and ends it after a search. @returns whether that found anything. */
async function findsAny(start: Filled['start'], credentials: Credentials): Promise<boolean> {
  await using service = await start()
  const client = await service.signIn(credentials)
  const { results } = (await client.searchText('red mug')) as { results: unknown[] }
  return results.length > 0
}

const CREDENTIALS = 'bench-credentials.json'

/** Makes a folder unless it is there; one that was interrupted is never taken for whole. */
function makeWhole(folder: string, make: (folder: string) => void): void {
  if (existsSync(folder)) return
  const part = `${folder}.part`
  rmSync(part, { recursive: true, force: true })
  make(part)
  renameSync(part, folder)
}

/** Changes with each build of an executable. */
function keyOf({ name, executable }: Contestant): string {
  if (executable === undefined) return 'sources'
  const { size, mtimeMs } = statSync(executable)
  return Bun.hash(`${name} ${size} ${mtimeMs}`).toString(36)
}
