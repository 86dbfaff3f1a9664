import { groupThousands } from '../../../core/text.ts'
import type { ModelsStatus } from '../../catalogue/model-moves/schema.ts'
import type { NodeNotice } from './schema.ts'

const ABOUT = { page: 'models', link: '/v1/admin/models' } as const

/** Finds what the operator should know about the models of the node. */
export function listNodeNotices({ in_use, move, former }: ModelsStatus): NodeNotice[] {
  const found: NodeNotice[] = []
  if (move && move.failed > 0) {
    const { failed, from, to } = move
    const verb = failed === 1 ? 'has' : 'have'
    found.push({
      ...{ kind: 'model_products_failed', severity: 'warning', ...ABOUT },
      text: `${groupThousands(failed)} ${failed === 1 ? 'product' : 'products'} ${verb} no vector of the model ${to}, because the picture cannot be had again; only words find ${failed === 1 ? 'it' : 'them'}`,
      data: { failed, from, to },
      since: move.finished_at,
    })
  }
  if (former && move?.state !== 'running') {
    found.push({
      ...{ kind: 'former_model_kept', severity: 'info', ...ABOUT },
      text: `${in_use} is in use, and the vectors of ${former.name} are kept until ${former.until}: confirm the one, or go back to the other`,
      data: { in_use, former: former.name, until: former.until },
      since: move?.finished_at ?? null,
    })
  }
  return found
}
