import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { StoreMove } from '../../features/nodes/departures/schema.ts'
import type { Call } from '../cli/command.ts'
import { wrapForTerminal } from '../cli/help.ts'
import { readCode } from '../cli/node-code.ts'
import { createProgress, type Progress } from '../cli/progress.ts'
import { createStopSignal } from '../cli/stop-signal.ts'
import { makeVisible } from '../cli/table.ts'
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts'
import { type OperatorSession, withOperator } from '../client/service-session.ts'
import { formatFolderFlag } from '../service/addresses.ts'
import { findRunningService } from '../service/data-folder.ts'
import { withInstall } from '../service/with-install.ts'
import { formatNext, formatStoreMove, phaseInWords } from './words.ts'

const POLL_MS = 1_000

/**
 * Finds the id of a store by its slug, also of one that has moved.
 *
 * @throws OperatorError
 */
const findStoreId = (config: Config, slug: string): Promise<string> =>
  withInstall(
    config,
    ({ stores, storeRows }) => storeRows.findMovedBySlug(slug)?.id ?? stores.requireBySlug(slug).id,
  )

async function send(
  client: ServiceClient,
  method: 'GET' | 'POST',
  storeId: string,
  rest = '',
  body?: object,
): Promise<StoreMove> {
  const type = 'application/json'
  const response = await client.send(method, `/v1/admin/stores/${storeId}/move${rest}`, {
    ...(body && { headers: { 'content-type': type }, body: new Blob([JSON.stringify(body)], { type }) }),
  })
  return (await response.json()) as StoreMove
}

const isRunning = ({ finished_at }: StoreMove): boolean => finished_at === null

/** Begins a move, and follows it to its end. */
export async function beginMove(call: Call, slug: string): Promise<number> {
  const { config, options } = call
  const isJson = options['json'] !== undefined
  const isDetached = options['detach'] !== undefined
  if (isDetached && !findRunningService(config)) {
    throw new OperatorError(
      'No service runs on this data folder, so the move would end with this command: leave out --detach, or start one with "lookalike serve"',
    )
  }
  const code = await readCode(options)
  const stop = createStopSignal()
  const storeId = await findStoreId(config, slug)
  return withOperator(call, stop, async (session) => {
    const begun = await send(session.client, 'POST', storeId, '', { to: options['to'], code })
    if (!isDetached) return follow(session, begun, { isJson, stop, config })
    console.log(
      isJson
        ? JSON.stringify(begun)
        : `It has begun. "lookalike store move ${slug} --status${formatFolderFlag(config)}" shows how far it is.`,
    )
    return 0
  })
}

interface FollowOptions {
  isJson: boolean
  stop: AbortSignal
  config: Config
}

/** Waits for the end of a move, and prints it. @returns the exit code: 0 if the store has moved. */
async function follow(
  { client, isOwn }: OperatorSession,
  begun: StoreMove,
  { isJson, stop, config }: FollowOptions,
): Promise<number> {
  const progress = createProgress()
  const flag = formatFolderFlag(config)
  try {
    const move = await waitForEnd(client, begun, progress, stop)
    progress.end()
    console.log(
      isJson
        ? JSON.stringify(move)
        : wrapForTerminal([formatStoreMove(move), ...formatNext(move, flag)].join('\n')),
    )
    return move.phase === 'moved' ? 0 : 1
  } catch (error) {
    progress.end()
    if (!stop.aborted) throw error
    const { slug } = begun.store
    console.error(
      isOwn
        ? `Stopped. The move goes on when a service runs on this folder: "lookalike serve". "lookalike store move ${slug} --cancel${flag}" ends it.`
        : `Stopped waiting. The move goes on in the service: "lookalike store move ${slug} --status${flag}" shows how far it is, "lookalike store move ${slug} --cancel${flag}" ends it.`,
    )
    return 1
  }
}

async function waitForEnd(
  client: ServiceClient,
  begun: StoreMove,
  progress: Progress,
  stop: AbortSignal,
): Promise<StoreMove> {
  for (let move = begun; ; ) {
    if (!isRunning(move)) return move
    stop.throwIfAborted()
    show(progress, move)
    await Bun.sleep(POLL_MS)
    const now = await send(client, 'GET', begun.store.id)
    if (now.id !== begun.id) throw new OperatorError('Another move of the store has begun meanwhile')
    move = now
  }
}

function show(progress: Progress, move: StoreMove): void {
  const { products, products_done, phase, problem, eta_seconds } = move
  progress.show(
    {
      ...{ processed: products_done, total: products, failed: 0, eta_seconds },
      progress: products === 0 ? 1 : products_done / products,
    },
    [phaseInWords(phase), ...(problem === null ? [] : [`waiting: ${makeVisible(problem)}`])],
  )
}

/** Says how far the move of a store is, or how the last one ended. */
export async function showMoveStatus(call: Call, slug: string): Promise<number> {
  const { config, options } = call
  const storeId = await findStoreId(config, slug)
  return withOperator(call, createStopSignal(), async ({ client }) => {
    const move = await send(client, 'GET', storeId).catch((error) => {
      if (error instanceof ServiceRefusal && error.status === 404)
        throw new OperatorError(`${slug} has never begun to move`)
      throw error
    })
    const lines = [formatStoreMove(move), ...formatNext(move, formatFolderFlag(config))]
    console.log(options['json'] !== undefined ? JSON.stringify(move) : wrapForTerminal(lines.join('\n')))
    return 0
  })
}

/** Cancels the move of a store. */
export async function cancelMove(call: Call, slug: string): Promise<number> {
  const storeId = await findStoreId(call.config, slug)
  return withOperator(call, createStopSignal(), async ({ client }) => {
    const isLost = call.options['target-lost'] !== undefined
    const move = await send(client, 'POST', storeId, isLost ? '/cancel?target=lost' : '/cancel')
    console.log(
      call.options['json'] !== undefined
        ? JSON.stringify(move)
        : isLost
          ? `It is cancelled. ${slug} stays here. Never start ${move.to} with its old data again: if it was asked to serve the store, it may do so, too.`
          : `It is cancelled. ${slug} stays here, and ${move.to} drops what it has of it.`,
    )
    return 0
  })
}
