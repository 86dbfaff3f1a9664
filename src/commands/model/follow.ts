import type { Config } from '../../config.ts'
import { formatUtc } from '../../core/mail-text.ts'
import { counted, groupThousands } from '../../core/text.ts'
import type { MoveStatus } from '../../features/catalogue/model-moves/schema.ts'
import type { ModelMove } from '../../features/operation/models/schema.ts'
import { wrapForTerminal } from '../cli/help.ts'
import { createProgress, type Progress } from '../cli/progress.ts'
import { formatTable, makeVisible } from '../cli/table.ts'
import type { OperatorSession } from '../client/service-session.ts'
import { formatFolderFlag } from '../service/addresses.ts'
import { askModels } from './state.ts'

const POLL_MS = 1_000

interface FollowOptions {
  isJson: boolean
  stop: AbortSignal
  config: Config
}

/**
 * Waits for the end of a move, and prints its outcome.
 *
 * @returns the exit code: 1 if it failed or some products did, or if the command was stopped.
 */
export async function followMove(
  { client, isOwn }: OperatorSession,
  begun: ModelMove,
  { isJson, stop, config }: FollowOptions,
): Promise<number> {
  const progress = createProgress()
  try {
    const { move, former } = await waitForEnd(client, begun, progress, stop)
    progress.end()
    console.log(isJson ? JSON.stringify({ move, former }) : wrapForTerminal(formatEnd(move, former, config)))
    return move.state === 'done' && move.failed === 0 ? 0 : 1
  } catch (error) {
    progress.end()
    if (!stop.aborted) throw error
    console.error(
      isOwn
        ? 'Stopped. The move goes on when a service runs on this folder: "lookalike serve", or this command again.'
        : 'Stopped waiting. The move goes on in the service: "lookalike model status" shows how far it is, "lookalike model cancel" ends it.',
    )
    return 1
  }
}

async function waitForEnd(
  client: OperatorSession['client'],
  begun: ModelMove,
  progress: Progress,
  stop: AbortSignal,
) {
  let move: ModelMove = begun
  for (;;) {
    stop.throwIfAborted()
    const { move: now, former } = await askModels(client)
    if (now?.id === begun.id) move = now
    if (move.state !== 'running' || now?.id !== begun.id) return { move, former }
    show(progress, move)
    await Bun.sleep(POLL_MS)
  }
}

function show(progress: Progress, move: ModelMove): void {
  const { products, products_done, failed, stores, stores_done, eta_seconds, problem } = move
  const done = Math.min(products, products_done + failed)
  const notes = [
    ...(stores > 1 ? [`${groupThousands(stores_done)} of ${groupThousands(stores)} stores`] : []),
    ...(problem === null ? [] : [`waiting: ${makeVisible(problem)}`]),
  ]
  progress.show(
    {
      ...{ processed: done, total: products, failed, eta_seconds },
      progress: products === 0 ? 1 : done / products,
    },
    notes,
  )
}

const KINDS = { use: 'move to', back: 'way back to', reindex: 'new embedding with' } as const

/** Formats a moment of an answer for people. */
export const formatMoment = (iso: string): string => formatUtc(Date.parse(iso)).join(' ')

/** Says in one line how far a move is, or how it ended. */
export function formatMove(move: MoveStatus): string {
  const { kind, to, state, products, products_done, stores, stores_done, failed, eta_seconds } = move
  const numbers = [
    `${groupThousands(products_done)} of ${counted(products, 'product')}`,
    `${groupThousands(stores_done)} of ${counted(stores, 'store')}`,
    ...(failed > 0 ? [`${groupThousands(failed)} failed`] : []),
    ...(state === 'running' && eta_seconds !== null ? [`about ${Math.ceil(eta_seconds / 60)} min left`] : []),
  ].join(', ')
  const states = { running: 'is under way', done: 'is done', cancelled: 'was cancelled', failed: 'failed' }
  const verb =
    move.is_returning && state === 'running' ? 'was cancelled, and the stores go back' : states[state]
  const line = `The ${KINDS[kind]} ${makeVisible(to)} ${verb}: ${numbers}.`
  return move.problem === null ? line : `${line}\nIt waits: ${makeVisible(move.problem)}`
}

function formatEnd(move: ModelMove, former: { name: string; until: string } | null, config: Config): string {
  const flag = formatFolderFlag(config)
  const lines = [formatMove(move)]
  if (move.failures.length > 0) {
    lines.push(
      '',
      'Pictures of these products cannot be had again; words go on finding them:',
      formatFailures(move),
    )
  }
  if (former && move.state === 'done' && move.kind !== 'reindex') {
    lines.push(
      '',
      `Look at some searches. The vectors of ${former.name} are kept until ${formatMoment(former.until)}.`,
      `  Keep ${move.to}:  lookalike model confirm${flag}`,
      `  Go back:  lookalike model use --back${flag}`,
    )
  }
  return lines.join('\n')
}

function formatFailures({ failures, failed }: ModelMove): string {
  const table = formatTable([
    ['STORE', 'PRODUCT', 'ERROR'],
    ...failures.map(({ store, product_id, code }) => [store, product_id, code]),
  ])
  return failed > failures.length ? `${table}\nand ${groupThousands(failed - failures.length)} more` : table
}
