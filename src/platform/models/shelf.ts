import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { OperatorError, wrongInput } from '../../core/operator-error.ts'
import { tryLockModels } from '../db/instance-lock.ts'
import type { InspectedModel } from '../embedder/inspect.ts'
import type { ModelFamily } from '../embedder/model-layout.ts'
import { giveToOwner, giveTreeToOwner } from '../owner.ts'
import { replaceFile } from '../replace-file.ts'
import { flushFolder } from '../sync-folder.ts'
import {
  clearLeftovers,
  copyModel,
  explainDisk,
  isModelName,
  MODEL_NAME_RULE,
  nameAfter,
  nameTaken,
} from './incoming.ts'
import type { Made, ModelProver, Proof } from './proof.ts'
import { readFacts, sumBytes, tellChanged, writeNote } from './shelf-note.ts'
import type { StartCheck } from './start-check.ts'

/** What a look at a folder tells, without loading the model. */
export type ModelFolder = Pick<InspectedModel, 'family' | 'dimension' | 'files'>

/** A model that lies on this machine. */
export interface ShelvedModel {
  name: string
  dir: string
  /** Of the fingerprint; empty where the folder has a problem. */
  hash: string
  /** 0 where the folder has a problem. */
  dimension: number
  family: ModelFamily
  bytes: number
  /** What its processes took when it was added; the bundled one was not. */
  memoryBytes?: number
  isBundled: boolean
  /** Why the folder cannot be used; one sentence. */
  problem?: string
}

export interface AddStep {
  step: 'copy' | 'load' | 'measure' | 'fit'
  done: number
  total: number
}

/** What `check` finds out about a model on this machine. */
export interface CheckReport {
  name: string
  family: ModelFamily
  dimension: number
  bytes: number
  /** The lowest cosine between what the service computes and the plain, exact path; `fast` without the exact arithmetic. */
  accuracy: { pictures: number; texts: number; fast: number | null }
  speed: { pictureMs: number; textMs: number }
  memoryBytes: number
  fit: Proof['fit']
  languages: readonly string[]
  warnings: string[]
}

export interface AddedModel {
  model: ShelvedModel
  /** False for files that are here already. */
  isNew: boolean
  /** Whether its scores were measured anew. */
  isRefitted: boolean
  warnings: string[]
}

export interface WorkOptions {
  tell(step: AddStep): void
  signal: AbortSignal
}

export interface ModelShelf {
  /** The bundled model first, then the others by name. A folder that cannot be used has a `problem`. */
  list(): Promise<ShelvedModel[]>
  find(name: string): Promise<ShelvedModel | undefined>
  /**
   * Copies a folder onto the shelf after it was tried in processes of its own, and makes what it lacks.
   *
   * @param options `refit` measures anew what scores mean, also for a model that is here already. `demandUnused` throws for one
   * that may not change now.
   * @returns `isNew: false` with the model that has the same files already.
   * @throws OperatorError that says what is wrong with the folder; nothing is left of it then.
   */
  add(
    folder: string,
    options: WorkOptions & { name?: string; refit?: boolean; demandUnused?(name: string): void },
  ): Promise<AddedModel>
  /** Reads every byte, starts the model and measures it. @throws OperatorError for a model that does not work. */
  check(name: string, options: WorkOptions): Promise<CheckReport>
  /** The caller has made sure that nothing uses it. @throws OperatorError for a name that is not here, or is bundled. */
  remove(name: string): Promise<void>
}

export interface ShelfDeps {
  dataDir: string
  /** The model that the program brings with it. */
  bundled: { name: string; dir: string; hash?: string | undefined }
  /** Looks at a folder without loading it. @throws Error that says what is wrong. */
  inspect(dir: string): ModelFolder
  prover: ModelProver
  start: StartCheck
}

/** The folder of the models of an install. */
export const modelsFolder = (dataDir: string): string => join(dataDir, 'models')

/** Reads what one model is. */
function createReading(
  { bundled, inspect, prover }: Pick<ShelfDeps, 'bundled' | 'inspect' | 'prover'>,
  root: string,
) {
  let known: ShelvedModel | undefined
  const changed = new Map<string, string>()

  const hash = (dir: string) => prover.describe(dir, new AbortController().signal)

  async function readBundled(): Promise<ShelvedModel> {
    if (known) return known
    const { name, dir } = bundled
    const { dimension, family, files } = inspect(dir)
    known = {
      ...{ name, dir, isBundled: true },
      hash: bundled.hash ?? (await hash(dir)).hash,
      ...{ dimension, family, bytes: sumBytes(files) },
    }
    return known
  }

  async function readShelved(name: string): Promise<ShelvedModel> {
    const dir = join(root, name)
    const { facts, problem } = await readFacts(dir, hash, changed)
    if (facts && problem === undefined) return { ...facts, name, dir, isBundled: false }
    const { family = 'clip', bytes = 0 } = facts ?? {}
    return { name, dir, isBundled: false, hash: '', dimension: 0, family, bytes, ...(problem && { problem }) }
  }

  return { readBundled, readShelved }
}

/** The models of an install: the bundled one, and those in `models/` of its data folder. */
export function createModelShelf({ dataDir, bundled, inspect, prover, start }: ShelfDeps): ModelShelf {
  const root = modelsFolder(dataDir)
  const { readBundled, readShelved } = createReading({ bundled, inspect, prover }, root)

  async function listNames(): Promise<string[]> {
    try {
      const entries = await readdir(root, { withFileTypes: true })
      return entries
        .filter((entry) => entry.isDirectory() && isModelName(entry.name) && entry.name !== bundled.name)
        .map(({ name }) => name)
        .sort()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  async function list(): Promise<ShelvedModel[]> {
    const models = [await readBundled()]
    for (const name of await listNames()) models.push(await readShelved(name))
    return models
  }

  const find = async (name: string): Promise<ShelvedModel | undefined> => {
    if (name === bundled.name) return readBundled()
    return isModelName(name) && (await listNames()).includes(name) ? readShelved(name) : undefined
  }

  async function demand(name: string): Promise<ShelvedModel> {
    const model = await find(name)
    if (model) return model
    const names = (await list()).map((one) => one.name).join(', ')
    throw wrongInput(`There is no model ${JSON.stringify(name)} here: there are ${names}.`)
  }

  /** One process at a time changes the shelf, and clears what a killed one has left. */
  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      if (await mkdir(root, { recursive: true, mode: 0o700 })) giveToOwner(dataDir, root)
    } catch (error) {
      throw explainDisk(root, error)
    }
    const unlock = tryLockModels(dataDir)
    if (!unlock)
      throw new OperatorError('Another lookalike is adding or removing a model: wait until it has ended.')
    try {
      await clearLeftovers(root)
      return await work()
    } finally {
      unlock()
    }
  }

  async function addAlone(
    folder: string,
    { name, refit = false, demandUnused, tell, signal }: Parameters<ModelShelf['add']>[1],
  ): ReturnType<ModelShelf['add']> {
    const source = resolve(folder)
    const chosen = chooseName(source, name, bundled.name)
    const hidden = join(root, `.adding-${process.pid}`)
    // The model's library takes no folder with a dot at its beginning.
    const work = join(hidden, 'model')
    try {
      await copyModel({
        source,
        root,
        work,
        inspect,
        signal,
        tell: (done, total) => tell({ step: 'copy', done, total }),
      })
      const facts = await prover.describe(work, signal)
      const present = await list()
      const same = present.find((model) => model.hash === facts.hash)
      if (same && refit) {
        demandUnused?.(same.name)
        const warnings = await refitModel(same, { dataDir, prover }, { tell, signal })
        return { model: same, isNew: false, isRefitted: true, warnings }
      }
      if (same) return { model: same, isNew: false, isRefitted: false, warnings: [] }
      if (present.some((model) => model.name === chosen)) throw nameTaken(chosen)
      const made = await prover.prove(work, { tell, signal, makes: refit ? 'all' : 'missing' })
      writeMade(work, made)
      const { memoryBytes } = await start(work, facts.hash, signal)
      const paths = inspect(work).files.map(({ path }) => path)
      await writeNote(work, paths, facts, memoryBytes)
      signal.throwIfAborted()
      // Root may add a model for a service of another user.
      giveTreeToOwner(dataDir, hidden)
      await rename(work, join(root, chosen))
      await flushFolder(root)
      const { warnings } = made.proof
      return { model: await demand(chosen), isNew: true, isRefitted: refit, warnings }
    } catch (error) {
      throw explainDisk(root, error)
    } finally {
      await rm(hidden, { recursive: true, force: true })
    }
  }

  return {
    list,
    find,
    add: (folder, options) => alone(() => addAlone(folder, options)),
    async check(name, { tell, signal }) {
      const model = await demand(name)
      if (model.problem !== undefined) throw new OperatorError(model.problem)
      const found = await prover.describe(model.dir, signal)
      if (found.hash !== model.hash) throw new OperatorError(tellChanged(name))
      const { proof } = await prover.prove(model.dir, { tell, signal, makes: 'nothing' })
      const { memoryBytes } = await start(model.dir, model.hash, signal)
      const { family, dimension, bytes } = model
      return { name, family, dimension, bytes, memoryBytes, ...proof }
    },
    remove: (name) =>
      alone(async () => {
        const { isBundled, dir } = await demand(name)
        if (isBundled) throw wrongInput(`The model ${name} is part of the program and cannot be removed.`)
        // First out of sight as a whole: a removal that is killed leaves no half of a model behind.
        const hidden = join(root, `.removing-${process.pid}`)
        await rename(dir, hidden)
        await flushFolder(root)
        await rm(hidden, { recursive: true, force: true })
      }),
  }
}

/** @throws OperatorError for a name that no model may have. */
function chooseName(source: string, name: string | undefined, bundledName: string): string {
  const chosen = name ?? nameAfter(basename(source))
  if (!isModelName(chosen))
    throw wrongInput(
      `${JSON.stringify(chosen)} is no name for a model: ${MODEL_NAME_RULE}. Choose one with --name.`,
    )
  if (chosen === bundledName)
    throw wrongInput(`${chosen} is the name of the model inside the program: choose another one with --name.`)
  return chosen
}

/** Writes what was made for a folder, onto the disk. The files may be second names of those of a download. */
function writeMade(dir: string, { calibration, golden }: Made): void {
  if (calibration)
    replaceFile(join(dir, 'calibration.json'), `${JSON.stringify(calibration, null, 2)}\n`, 0o600)
  if (golden) replaceFile(join(dir, 'golden.json'), `${JSON.stringify(golden, null, 1)}\n`, 0o600)
}

/** Measures anew what the scores of a model mean that lies on the shelf. */
async function refitModel(
  { name, dir, isBundled, problem }: ShelvedModel,
  { dataDir, prover }: Pick<ShelfDeps, 'dataDir' | 'prover'>,
  { tell, signal }: WorkOptions,
): Promise<string[]> {
  if (isBundled)
    throw wrongInput(`${name} is part of the program, which brings what its scores mean with it.`)
  if (problem !== undefined) throw new OperatorError(problem)
  const made = await prover.prove(dir, { tell, signal, makes: 'all' })
  signal.throwIfAborted()
  writeMade(dir, made)
  giveTreeToOwner(dataDir, dir)
  return made.proof.warnings
}
