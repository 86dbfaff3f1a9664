import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { type ModelPlace, modelMoveQueries } from '../../features/catalogue/model-moves/queries.ts'
import type { FoundModel, MoveWorld } from '../../features/catalogue/model-moves/world.ts'
import { noteModelDir } from '../../platform/db/models.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Embedder } from '../../platform/embedder/embedder.ts'
import { readModelFiles } from '../../platform/embedder/model-files.ts'
import { bundledModelDir, bundledModelHash } from '../../platform/native/model-folder.ts'
import { openModel } from './open-ports.ts'

export interface StartModel
  extends Pick<MoveWorld, 'isDirSet' | 'isChosen' | 'dir' | 'wanted' | 'findFolder'> {
  embedder: Embedder
}

interface StartModelParts {
  config: Config
  db: Db
  dataDir: string
  log: Logger
  /** A model whose processes run already; it is closed if another one serves. */
  warm?: WarmModel | undefined
}

export interface WarmModel {
  dir: string
  hash: string
  embedder: Embedder
}

type Place = Pick<ModelPlace, 'name' | 'hash' | 'dir'>

const modelsFolder = (dataDir: string): string => join(dataDir, 'models')

/** Bundled models of earlier versions of the program, apart from those that the operator has added. */
const rescueFolder = (dataDir: string): string => join(dataDir, 'former-models')

const rescuedDir = (dataDir: string, { name, hash }: Pick<Place, 'name' | 'hash'>): string =>
  join(rescueFolder(dataDir), hash, name)

/** @returns undefined for a folder that holds no model. */
function hashOf(dir: string): string | undefined {
  try {
    return dir === bundledModelDir() && bundledModelHash() !== undefined
      ? bundledModelHash()
      : readModelFiles(dir).fingerprint.hash
  } catch {
    return undefined
  }
}

/** Finds the folder of a model that was in use before, by its files: a name alone proves nothing. */
export function findFolder(dataDir: string, model: Place): string | undefined {
  const places = [
    join(modelsFolder(dataDir), model.name),
    rescuedDir(dataDir, model),
    model.dir ?? '',
    bundledModelDir(),
  ]
  return places.find((dir) => dir !== '' && existsSync(dir) && hashOf(dir) === model.hash)
}

/**
 * Opens the model that serves at first: that of `MODEL_DIR`, else the one that the operator has chosen, else the bundled
 * one. Where the catalogue is on another model whose files are still there, that one serves, and `wanted` takes its place in
 * a move.
 *
 * @throws OperatorError for a model that cannot be read, or whose files are gone.
 */
export function openStartModel(parts: StartModelParts): StartModel {
  const { warm } = parts
  const started = chooseStartModel(parts)
  if (warm && warm.embedder !== started.embedder) void warm.embedder.close()
  return started
}

/** Starts the processes of the model of `MODEL_DIR`, or of the bundled one, before it is known which one serves. */
export function warmModel(config: Config, log: Logger): WarmModel {
  const { dir, hash } = describe(config)
  return { dir, hash, embedder: openApart(config, log, dir, hash) }
}

function chooseStartModel({ config, db, dataDir, log, warm }: StartModelParts): StartModel {
  const open = (dir: string, hash: string): Embedder =>
    warm?.dir === dir && warm.hash === hash ? warm.embedder : openApart(config, log, dir, hash)

  const queries = modelMoveQueries(db)
  const isDirSet = config.MODEL_DIR !== ''
  const common = { isDirSet, findFolder: (model: Place) => findFolder(dataDir, model) }
  const state = queries.findState()
  const inUse = state && queries.findModel(state.inUse)
  const openPlace = (model: Place): { embedder: Embedder; dir: string } | undefined => {
    const dir = findFolder(dataDir, model)
    return dir === undefined ? undefined : { embedder: open(dir, model.hash), dir }
  }

  if (state?.isChosen && inUse && !isDirSet) {
    const chosen = openPlace(inUse)
    if (chosen) return { ...common, ...chosen, isChosen: true }
    throw new OperatorError(
      `The model ${inUse.name} is in use, and its files are gone: put its folder back as ${join(modelsFolder(dataDir), inUse.name)}, or name the folder of a model in MODEL_DIR`,
    )
  }
  const wish = describe(config)
  if (!inUse || inUse.hash === wish.hash) {
    const running = queries.findRunning()
    // The start that began the move wanted the other model, and this one does not.
    if (running && inUse && !running.isChosen && running.kind === 'use' && !running.isReturning)
      queries.turnRound()
    return { ...common, embedder: open(wish.dir, wish.hash), dir: wish.dir, isChosen: false }
  }
  const former = openPlace(inUse)
  if (former) return { ...common, ...former, isChosen: false, wanted: wish }
  log.warn(
    { model: inUse.name },
    'the files of the former model are gone: products are found by their words until they are embedded again',
  )
  return { ...common, embedder: open(wish.dir, wish.hash), dir: wish.dir, isChosen: false }
}

/** The model of `MODEL_DIR`, or the bundled one. @throws OperatorError */
function describe(config: Config): FoundModel {
  const dir = config.MODEL_DIR ? resolve(config.MODEL_DIR) : bundledModelDir()
  const known = config.MODEL_DIR ? undefined : bundledModelHash()
  try {
    const { id, hash, dimension } = readModelFiles(dir, known).fingerprint
    return { name: id, dir, hash, dimension, bytes: countBytes(dir), isBundled: !config.MODEL_DIR }
  } catch (error) {
    throw cannotUse(dir, error)
  }
}

function openApart(config: Config, log: Logger, dir: string, hash: string): Embedder {
  try {
    return openModel(config, log, { dir, hash })
  } catch (error) {
    throw cannotUse(dir, error)
  }
}

const cannotUse = (dir: string, error: unknown): OperatorError =>
  new OperatorError(`Cannot use the model in ${dir}: ${error instanceof Error ? error.message : error}`)

function countBytes(dir: string): number {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true })
  return entries.reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  )
}

/**
 * Keeps the bundled model of an earlier version of the program, if the catalogue is on it: unpacking the next one deletes
 * it, and searches need it until the move is done.
 */
export function rescueFormerModel({ db, dataDir, log }: Omit<StartModelParts, 'config'>): void {
  const queries = modelMoveQueries(db)
  const state = queries.findState()
  dropUnneeded(dataDir, queries)
  const inUse = state && queries.findModel(state.inUse)
  const bundled = bundledModelHash()
  if (!state || !inUse?.dir || bundled === undefined || inUse.hash === bundled) return
  const target = rescuedDir(dataDir, inUse)
  // Only what this program has unpacked goes with the next version.
  if (!/^model-[0-9a-f]+$/.test(basename(resolve(inUse.dir, '..'))) || existsSync(target)) return
  if (!existsSync(inUse.dir)) return
  const incoming = `${target}.incoming`
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    rmSync(incoming, { recursive: true, force: true })
    cpSync(inUse.dir, incoming, { recursive: true })
    renameSync(incoming, target)
    noteModelDir(db, inUse.row, target)
  } catch (error) {
    rmSync(incoming, { recursive: true, force: true })
    log.warn({ err: error, model: inUse.name }, 'the model of the former version could not be kept')
  }
}

/** Deletes what was kept of models that the catalogue has left for good. */
function dropUnneeded(dataDir: string, queries: ReturnType<typeof modelMoveQueries>): void {
  const folder = rescueFolder(dataDir)
  if (!existsSync(folder)) return
  const state = queries.findState()
  const move = queries.findRunning()
  const rows = [state?.inUse, state?.former, move?.from, move?.to]
  const needed = rows.map((row) => (row == null ? undefined : queries.findModel(row)?.hash))
  for (const hash of readdirSync(folder)) {
    if (!needed.includes(hash)) rmSync(join(folder, hash), { recursive: true, force: true })
  }
}
