import { counted, decimalSize, groupThousands } from '../../core/text.ts'
import type { StoreMove } from '../../features/nodes/departures/schema.ts'
import { makeVisible } from '../cli/table.ts'

const PHASES: Readonly<Record<StoreMove['phase'], string>> = {
  copying: 'is being copied',
  catching_up: 'is copied, and what has changed meanwhile follows',
  paused: 'has its writes paused for a moment',
  verifying: 'is compared on both nodes',
  switching: 'is being handed over: the other node has not said yet whether it serves it',
  moved: 'has moved',
  cancelled: 'stays here: the move was cancelled',
  failed: 'stays here: the move failed',
}

/** Names a phase while a bar shows how far it is. */
export const phaseInWords = (phase: StoreMove['phase']): string => phase.replace('_', ' ')

/** Says how far a move is, or how it ended. */
export function formatStoreMove(move: StoreMove): string {
  const { store, phase, products, products_done, bytes, pause_seconds, eta_seconds, problem, error } = move
  const numbers = [
    phase === 'moved'
      ? counted(products, 'product')
      : `${groupThousands(products_done)} of ${counted(products, 'product')}`,
    `${decimalSize(bytes)} sent`,
    ...(pause_seconds !== null && phase === 'moved'
      ? [`writes waited for ${pause_seconds.toFixed(1)} s`]
      : []),
    ...(eta_seconds !== null ? [`about ${Math.ceil(eta_seconds / 60)} min left`] : []),
  ].join(', ')
  return [
    `${store.slug} ${PHASES[phase]} (${move.to}): ${numbers}.`,
    ...(problem === null ? [] : [`It waits: ${makeVisible(problem)}`]),
    ...(error === null ? [] : [makeVisible(error)]),
  ].join('\n')
}

/** Says what there is to do after a move. */
export function formatNext({ store, phase, url, reembeds }: StoreMove, flag: string): string[] {
  if (phase === 'failed')
    return ['', 'Nothing was lost. Cure what it names, make a new code, and move the store again.']
  if (phase !== 'moved') return []
  return [
    '',
    `${store.slug} is served at ${url} from now on. Next:`,
    `  Lead its address there: change its DNS record, or load the map of both nodes into your proxy (GET /v1/admin/map).`,
    `  Until then this node answers 421 store_not_here with the new address; keys and secrets stay as they are.`,
    `  Have people sign in at ${url}; accounts that were there before keep their passwords.`,
    `  The rows that stayed here are deleted after 24 hours. lookalike store move ${store.slug} --status${flag} shows this again.`,
    ...(reembeds
      ? [
          '  The other node has another model: it makes the vectors anew now, and finds by pictures what is done.',
        ]
      : []),
  ]
}
