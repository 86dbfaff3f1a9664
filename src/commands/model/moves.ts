import { OperatorError, wrongUsage } from '../../core/operator-error.ts'
import type { ModelsStatus } from '../../features/catalogue/model-moves/schema.ts'
import type { AdminModels, ModelMove } from '../../features/operation/models/schema.ts'
import type { Call, Command } from '../cli/command.ts'
import { wrapForTerminal } from '../cli/help.ts'
import { JSON_OPTION } from '../cli/options.ts'
import { createStopSignal } from '../cli/stop-signal.ts'
import { makeVisible } from '../cli/table.ts'
import { type OperatorSession, withOperator } from '../client/service-session.ts'
import { findRunningService } from '../service/data-folder.ts'
import { followMove, formatMoment, formatMove } from './follow.ts'
import { askModels, demandHere, MOVE_SETTINGS, readModelState, sendOrder } from './state.ts'

const DETACH_OPTION = {
  flag: 'detach',
  meaning: 'do not wait; "lookalike model status" shows how far it is',
}

export const modelUse: Command = {
  name: 'model use',
  summary: 'move all stores to another model while searches go on, and wait for the end',
  positionals: ['[NAME]'],
  options: [{ flag: 'back', meaning: 'go back to the former model' }, DETACH_OPTION, JSON_OPTION],
  settings: MOVE_SETTINGS,
  essentials: ['DATA_DIR'],
  example: 'lookalike model use clip-vit-base-patch32',
  run(call) {
    const [name] = call.positionals
    const isBack = call.options['back'] !== undefined
    if ((name === undefined) !== isBack) {
      throw wrongUsage('Name a model that "lookalike model list" shows as here, or give --back')
    }
    return move(call, async (client, models) => {
      const { in_use, move: running } = models
      const isUnderWay = running?.state === 'running' && !running.is_returning
      // The command that began it may have ended with the service of its own.
      if (
        isUnderWay &&
        (isBack ? running.kind === 'back' : running.to === name && running.kind !== 'reindex')
      )
        return running
      if (name === in_use && running?.state !== 'running') return undefined
      if (name === undefined) return sendOrder<ModelMove>(client, 'POST', 'back')
      demandHere(name, models)
      return sendOrder<ModelMove>(client, 'POST', 'use', { name })
    })
  },
}

export const reindex: Command = {
  name: 'reindex',
  summary: 'embed all products again with the model in use, while searches go on, and wait for the end',
  options: [
    { flag: 'store', value: 'SLUG', meaning: 'one store alone; default: all' },
    DETACH_OPTION,
    JSON_OPTION,
  ],
  settings: MOVE_SETTINGS,
  essentials: ['DATA_DIR'],
  example: 'lookalike reindex --store my-shop',
  run: (call) =>
    move(call, async (client, { move: running }) =>
      running?.state === 'running' && running.kind === 'reindex' && call.options['store'] === undefined
        ? running
        : sendOrder<ModelMove>(client, 'POST', 'reindex', {
            ...(call.options['store'] !== undefined && { store: call.options['store'] }),
          }),
    ),
}

export const modelStatus: Command = {
  name: 'model status',
  summary: 'say which model is in use, how far a move is, and until when the way back is open',
  options: [JSON_OPTION],
  settings: MOVE_SETTINGS,
  essentials: ['DATA_DIR'],
  example: 'lookalike model status',
  async run(call) {
    const isServed = findRunningService(call.config) !== undefined
    const status = isServed ? await askStatus(call) : await readModelState(call.config)
    const { in_use, move, former } = status
    console.log(
      call.options['json'] !== undefined
        ? JSON.stringify({ in_use, move, former })
        : wrapForTerminal(formatStatus(status, isServed)),
    )
    return 0
  },
}

export const modelCancel: Command = {
  name: 'model cancel',
  summary: 'cancel the move to another model; stores that have moved already go back',
  options: [JSON_OPTION],
  settings: MOVE_SETTINGS,
  essentials: ['DATA_DIR'],
  example: 'lookalike model cancel',
  run: (call) =>
    withOperator(call, createStopSignal(), async ({ client }) => {
      const move = await sendOrder<ModelMove>(client, 'POST', 'cancel')
      if (call.options['json'] !== undefined) console.log(JSON.stringify(move))
      else
        console.log(
          move.is_returning && move.state === 'running'
            ? `It is cancelled. The stores that had moved go back to ${move.from}.`
            : `It is cancelled; ${move.from} is in use.`,
        )
      return 0
    }),
}

export const modelConfirm: Command = {
  name: 'model confirm',
  summary: 'keep the model in use, and delete the vectors of the former one; there is no way back then',
  options: [JSON_OPTION],
  settings: MOVE_SETTINGS,
  essentials: ['DATA_DIR'],
  example: 'lookalike model confirm',
  run: (call) =>
    withOperator(call, createStopSignal(), async ({ client }) => {
      const confirmed = await sendOrder<{ in_use: string }>(client, 'POST', 'confirm')
      console.log(
        call.options['json'] !== undefined
          ? JSON.stringify(confirmed)
          : `${confirmed.in_use} stays. The vectors of the former model are being deleted.`,
      )
      return 0
    }),
}

/** Begins a move and follows it. @param begin undefined where there is nothing to do. */
async function move(
  call: Call,
  begin: (client: OperatorSession['client'], models: AdminModels) => Promise<ModelMove | undefined>,
): Promise<number> {
  const { config, options } = call
  const isJson = options['json'] !== undefined
  if (options['detach'] !== undefined && !findRunningService(config)) {
    throw new OperatorError(
      'No service runs on this data folder, so the move would end with this command: leave out --detach, or start one with "lookalike serve"',
    )
  }
  const stop = createStopSignal()
  return withOperator(call, stop, async (session) => {
    const models = await askModels(session.client)
    const begun = await begin(session.client, models)
    if (!begun) {
      console.log(isJson ? JSON.stringify({ in_use: models.in_use }) : `${models.in_use} is in use already.`)
      return 0
    }
    if (options['detach'] === undefined) return followMove(session, begun, { isJson, stop, config })
    console.log(
      isJson ? JSON.stringify(begun) : `It has begun. "lookalike model status" shows how far it is.`,
    )
    return 0
  })
}

async function askStatus(call: Call): Promise<ModelsStatus> {
  let status: ModelsStatus | undefined
  await withOperator(call, createStopSignal(), async ({ client }) => {
    status = await askModels(client)
    return 0
  })
  return status as ModelsStatus
}

function formatStatus({ in_use, move, former }: ModelsStatus, isServed: boolean): string {
  const lines = [`${makeVisible(in_use)} is in use.`]
  if (move?.state === 'running' && !isServed) {
    // Only a service knows how far it is.
    lines.push(
      `The move to ${makeVisible(move.to)} waits, because no service runs: it goes on with "lookalike serve".`,
    )
  } else if (move) lines.push(formatMove(move))
  if (former) {
    lines.push(
      `The vectors of ${former.name === in_use ? 'its former version' : makeVisible(former.name)} are kept until ${formatMoment(former.until)}: "lookalike model use --back" returns to it, "lookalike model confirm" deletes them.`,
    )
  }
  return lines.join('\n')
}
