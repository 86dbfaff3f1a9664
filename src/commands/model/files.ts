import { OperatorError, wrongUsage } from '../../core/operator-error.ts'
import { decimalSize } from '../../core/text.ts'
import { findUse, listModels } from '../../features/operation/models/presenter.ts'
import type { AdminModel } from '../../features/operation/models/schema.ts'
import { type BringStep, bringModel } from '../../platform/models/bring.ts'
import type { ModelOrder } from '../../platform/models/download.ts'
import type { HubFile } from '../../platform/models/hub.ts'
import { KNOWN_MODELS } from '../../platform/models/known.ts'
import type { AddedModel, CheckReport } from '../../platform/models/shelf.ts'
import type { Command } from '../cli/command.ts'
import { wrapForTerminal } from '../cli/help.ts'
import { JSON_OPTION } from '../cli/options.ts'
import { createProgress } from '../cli/progress.ts'
import { createStopSignal } from '../cli/stop-signal.ts'
import { formatTable, makeVisible } from '../cli/table.ts'
import { withOperator } from '../client/service-session.ts'
import { formatFolderFlag } from '../service/addresses.ts'
import { findRunningService, lockFolder } from '../service/data-folder.ts'
import { openModelEgress } from '../service/model-fetcher.ts'
import { openShelf } from '../service/open-shelf.ts'
import {
  askModels,
  dataDirOf,
  demandHere,
  readModelState,
  SHELF_SETTINGS,
  sendOrder,
  stateInWords,
} from './state.ts'

export const modelList: Command = {
  name: 'model list',
  summary: 'list the models that are here, and those that can be fetched, with what each costs',
  options: [JSON_OPTION],
  settings: SHELF_SETTINGS,
  example: 'lookalike model list',
  async run({ config, options }) {
    const { in_use, move, former } = await readModelState(config)
    const here = await openShelf(dataDirOf(config)).list()
    const models = listModels(here, KNOWN_MODELS, { name: in_use, dimension: null })
    if (options['json'] !== undefined) console.log(JSON.stringify({ in_use, models, move, former }))
    else console.log(formatModels(models))
    return 0
  },
}

export const modelFetch: Command = {
  name: 'model fetch',
  summary: 'download a model, try it here, and keep it beside the others; nothing uses it yet',
  positionals: ['[NAME]'],
  options: [
    {
      flag: 'hub',
      value: 'OWNER/NAME@COMMIT',
      meaning: 'any other export for transformers.js, by its full commit',
    },
    { flag: 'url', value: 'MIRROR', meaning: 'another server with the addresses of the hub' },
    { flag: 'trust', meaning: 'take the hashes of the server where none stands in this program' },
    { flag: 'name', value: 'NAME', meaning: 'its name here; default: its own' },
    JSON_OPTION,
  ],
  settings: ['DATA_DIR', 'OFFLINE', 'FETCH_ALLOW_CIDRS'],
  example: 'lookalike model fetch clip-vit-base-patch32',
  async run({ config, options, positionals: [name] }) {
    const order = readOrder(name, options['hub'])
    const dataDir = dataDirOf(config)
    // Without an install there is nothing that could use a model.
    await readModelState(config)
    const signal = createStopSignal()
    const progress = createModelProgress()
    try {
      const added = await bringModel(order, {
        ...{ dataDir, signal, shelf: openShelf(dataDir), tell: progress.tell, show: showFiles },
        mirror: options['url'],
        name: options['name'],
        isTrusted: options['trust'] !== undefined,
        isOffline: config.OFFLINE,
        egress: openModelEgress(config),
      })
      progress.end()
      return tellAdded(added, formatFolderFlag(config), options['json'] !== undefined)
    } catch (error) {
      progress.end()
      if (!signal.aborted) throw error
      throw new OperatorError('Stopped. What was loaded stays; the same command goes on there.')
    }

    /** Names what stands nowhere in this program, for those who compare it with the page of the model. */
    function showFiles(files: readonly HubFile[]): void {
      if (options['trust'] === undefined) return
      process.stderr.write(
        files
          .map(
            ({ path, bytes, hash }) =>
              `${makeVisible(path)}, ${bytes} bytes\n  ${hash.algorithm} ${hash.hex}\n`,
          )
          .join(''),
      )
    }
  },
}

export const modelAdd: Command = {
  name: 'model add',
  summary: 'try the model in a folder, from a USB stick for example, and copy it beside the others',
  positionals: ['FOLDER'],
  options: [
    { flag: 'name', value: 'NAME', meaning: 'its name here; default: the name of the folder' },
    {
      flag: 'refit',
      meaning:
        'measure anew what scores mean, though the folder says it (calibration.json, golden.json), or the model is here already',
    },
    JSON_OPTION,
  ],
  settings: SHELF_SETTINGS,
  example: 'lookalike model add /media/stick/clip-vit-base-patch32',
  async run({ config, options, positionals: [folder = ''] }) {
    const state = await readModelState(config)
    const demandUnused = (name: string): void => {
      const use = findUse(name, state)
      if (!use || !findRunningService(config)) return
      throw new OperatorError(
        `The running service needs ${makeVisible(name)}, because ${use}: stop the service, run this command again, and start it.`,
      )
    }
    const signal = createStopSignal()
    const progress = createModelProgress()
    try {
      const added = await openShelf(dataDirOf(config)).add(folder, {
        ...(options['name'] !== undefined && { name: options['name'] }),
        refit: options['refit'] !== undefined,
        demandUnused,
        tell: progress.tell,
        signal,
      })
      progress.end()
      return tellAdded(added, formatFolderFlag(config), options['json'] !== undefined)
    } catch (error) {
      progress.end()
      if (!signal.aborted) throw error
      throw new OperatorError('Stopped. Nothing was added.')
    }
  },
}

export const modelCheck: Command = {
  name: 'model check',
  summary: 'read every byte of a model, run it, and measure its accuracy, speed and memory on this machine',
  positionals: ['[NAME]'],
  options: [JSON_OPTION],
  settings: SHELF_SETTINGS,
  example: 'lookalike model check clip-vit-base-patch32',
  async run({ config, options, positionals: [given] }) {
    const { in_use } = await readModelState(config)
    const name = given ?? in_use
    const signal = createStopSignal()
    const progress = createModelProgress()
    try {
      const report = await openShelf(dataDirOf(config)).check(name, { tell: progress.tell, signal })
      progress.end()
      console.log(options['json'] !== undefined ? JSON.stringify(report) : formatReport(report))
      return 0
    } catch (error) {
      progress.end()
      if (!signal.aborted) throw error
      throw new OperatorError('Stopped. The model is as it was.')
    }
  },
}

export const modelRemove: Command = {
  name: 'model remove',
  summary: 'delete the files of a model that nothing uses',
  positionals: ['NAME'],
  options: [JSON_OPTION],
  settings: SHELF_SETTINGS,
  example: 'lookalike model remove clip-vit-base-patch32',
  async run(call) {
    const { config, options, positionals } = call
    const [name = ''] = positionals
    if (findRunningService(config)) {
      await withOperator(call, createStopSignal(), async ({ client }) => {
        demandHere(name, await askModels(client))
        await sendOrder(client, 'DELETE', encodeURIComponent(name))
        return 0
      })
    } else {
      await removeAlone(dataDirOf(config), name, () => readModelState(config))
    }
    const removed = { status: 'removed', name }
    console.log(options['json'] !== undefined ? JSON.stringify(removed) : `The files of ${name} are deleted.`)
    return 0
  },
}

/** Removes a model while no service can start. */
async function removeAlone(
  dataDir: string,
  name: string,
  readState: () => ReturnType<typeof readModelState>,
): Promise<void> {
  const unlock = lockFolder(dataDir, { mayMake: false })
  try {
    const use = findUse(name, await readState())
    if (use) throw new OperatorError(`${makeVisible(name)} cannot be removed: ${use}`)
    await openShelf(dataDir).remove(name)
  } finally {
    unlock()
  }
}

function readOrder(name: string | undefined, hub: string | undefined): ModelOrder {
  if (name !== undefined && hub === undefined) return { name }
  if (hub !== undefined && name === undefined) return { hub }
  throw wrongUsage('Name a model that "lookalike model list" shows, or give --hub owner/name@COMMIT')
}

const STEPS = {
  download: 'downloading',
  copy: 'copying',
  load: 'loading',
  measure: 'measuring',
  fit: 'fitting the scores',
} as const

/** Shows how far a model is that is fetched, added or checked. */
function createModelProgress() {
  const progress = createProgress()
  let began: { step: string; at: number; done: number } | undefined
  return {
    tell(told: BringStep): void {
      const [done, total] = told.step === 'download' ? [told.bytes, told.bytesTotal] : [told.done, told.total]
      const now = performance.now()
      if (began?.step !== told.step) began = { step: told.step, at: now, done }
      const left = estimate(done - began.done, total - done, now - began.at)
      const isBytes = told.step === 'download' || told.step === 'copy'
      progress.showPart({
        what: STEPS[told.step],
        ...{ done, total, secondsLeft: left },
        format: isBytes ? decimalSize : undefined,
      })
    },
    end: progress.end,
  }
}

function estimate(done: number, left: number, ms: number): number | null {
  return done <= 0 || ms < 1_000 ? null : (left / done) * (ms / 1_000)
}

/** @returns the exit code. */
function tellAdded(
  { model, isNew, isRefitted, warnings }: AddedModel,
  folderFlag: string,
  isJson: boolean,
): number {
  for (const warning of warnings) console.error(wrapForTerminal(`Warning: ${makeVisible(warning)}`))
  const { name, family, dimension, bytes, hash } = model
  if (isJson) {
    console.log(
      JSON.stringify({
        name,
        is_new: isNew,
        is_refitted: isRefitted,
        family,
        dimension,
        bytes,
        hash,
        warnings,
      }),
    )
  } else if (!isNew && isRefitted) {
    console.log(`This model is here already, as ${name}. What its scores mean was measured anew.`)
  } else if (!isNew) {
    console.log(`This model is here already, as ${name}.`)
  } else {
    console.log(
      `${name} is here: ${family}, ${dimension} dimensions, ${decimalSize(bytes)}.

  Look at it:  lookalike model check ${name}${folderFlag}
  Use it:      lookalike model use ${name}${folderFlag}`,
    )
  }
  return 0
}

function formatModels(models: readonly AdminModel[]): string {
  const about = (value: number | null, unit: string) =>
    value === null ? '' : `${formatShort(value)} ${unit}`
  const table = formatTable([
    ['NAME', 'STATE', 'DISK', 'MEMORY', 'DIMENSIONS', 'PICTURE', 'TEXT'],
    ...models.map((model) => [
      model.name,
      stateInWords(model),
      model.bytes === null ? '' : decimalSize(model.bytes),
      model.memory_bytes === null ? '' : decimalSize(Math.round(model.memory_bytes / 1e6) * 1e6),
      model.dimension ? String(model.dimension) : '',
      about(model.picture_ms, 'ms'),
      about(model.text_ms, 'ms'),
    ]),
  ])
  const lines = models
    .flatMap(({ name, suits, license, languages, status, problem }) => {
      if (problem) return [`${name}: ${makeVisible(problem)}`]
      if (!suits) return []
      const trust = status === 'unconfirmed' ? ' Its hashes are unconfirmed: it needs --trust.' : ''
      return [
        `${name}: ${suits} Languages: ${languages?.join(' ') ?? 'unknown'}. Licence: ${license ?? 'unknown'}.${trust}`,
      ]
    })
    .map((line) => wrapForTerminal(line, 2))
  return [table, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')
}

const formatShort = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })

const SURE = 0.99
const LOW_ACCURACY =
  'Warning: On this processor its vectors are less exact than they could be. If searches find less than you expect, add the export with its 32-bit weights (onnx/text_model.onnx, onnx/vision_model.onnx) in place of the 8-bit ones.'

function formatReport({ name, family, dimension, bytes, ...report }: CheckReport): string {
  const { accuracy, speed, memoryBytes, fit, languages, warnings } = report
  const share = (value: number) => value.toFixed(4)
  const worst = Math.min(accuracy.pictures, accuracy.texts)
  return [
    `${name}: ${family}, ${dimension} dimensions, ${decimalSize(bytes)} on the disk`,
    `Accuracy    ${share(accuracy.pictures)} for pictures, ${share(accuracy.texts)} for texts (cosine to the exact path, 1 is best)`,
    `Speed       ${formatShort(speed.pictureMs)} ms a picture, ${formatShort(speed.textMs)} ms a text`,
    `Memory      ${decimalSize(memoryBytes)} for its processes`,
    `Pictures    ${formatPercent(fit.pictures_told_apart)} of pairs of one kind are more alike than pairs of two kinds (50 % is chance)`,
    `Words       ${formatPercent(fit.words_told_apart)} fit a picture of what they name better than another one`,
    `Languages   ${languages.length === 0 ? 'none is known' : languages.join(' ')}`,
    ...(worst < SURE ? [LOW_ACCURACY] : []),
    ...warnings.map((warning) => `Warning: ${makeVisible(warning)}`),
  ]
    .map((line) => wrapForTerminal(line, line.startsWith('Warning') ? 0 : 12))
    .join('\n')
}

const formatPercent = (share: number): string => `${Math.round(share * 100)} %`
