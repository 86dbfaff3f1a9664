import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { systemIds } from '../../core/ids.ts'

/** The parts that a run of `import` has sent, so that the next run of the same command resumes there. */
export interface ImportState {
  /** Tells two runs over the same file apart. */
  run: string
  /** The jobs of the parts, in their order. */
  jobs: string[]
}

export interface ProgressFile {
  readonly state: ImportState
  /** Where the part that is sent lies meanwhile. */
  partPath: string
  /** Records the job of the next part. */
  add(jobId: string): Promise<void>
  /** Writes the state to the file. */
  save(): Promise<void>
  /** Starts over, because the last run is over or too old. */
  begin(): Promise<void>
  end(): Promise<void>
  /** Removes a part that was sent, or that could not be. */
  dropPart(): Promise<void>
}

const FOLDER = 'imports'
/** Jobs can be read for 30 days; a later run starts over. */
const KEPT_MS = 7 * 86_400_000

/**
 * Opens the notes of an import in the data folder.
 *
 * @param key tells the file, the store and the options, as 64 hex digits.
 */
export async function openProgressFile(dataDir: string, key: string): Promise<ProgressFile> {
  const folder = join(resolve(dataDir), FOLDER)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await sweep(folder)
  const path = join(folder, `${key}.json`)
  const partPath = join(folder, `${key}.part`)
  let state = (await read(path)) ?? createState()

  async function save(): Promise<void> {
    const next = `${path}.${systemIds.uuid()}.new`
    await writeFile(next, JSON.stringify(state), { mode: 0o600 })
    await rename(next, path)
  }

  return {
    get state() {
      return state
    },
    partPath,
    save,
    async add(jobId) {
      state = { ...state, jobs: [...state.jobs, jobId] }
      await save()
    },
    async begin() {
      state = createState()
      await save()
    },
    end: () => rm(path, { force: true }),
    dropPart: () => rm(partPath, { force: true }),
  }
}

const createState = (): ImportState => ({ run: systemIds.uuid(), jobs: [] })

async function read(path: string): Promise<ImportState | undefined> {
  try {
    const { run, jobs } = JSON.parse(await readFile(path, 'utf8')) as Partial<ImportState>
    const isWhole =
      typeof run === 'string' && Array.isArray(jobs) && jobs.every((id) => typeof id === 'string')
    return isWhole ? { run, jobs } : undefined
  } catch (error) {
    // A file that a crash has torn is as good as none: parts that were sent are found by their keys.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function sweep(folder: string): Promise<void> {
  const before = Date.now() - KEPT_MS
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const { mtimeMs = before } = await stat(path).catch(() => ({ mtimeMs: undefined }))
    if (mtimeMs < before) await rm(path, { force: true })
  }
}
