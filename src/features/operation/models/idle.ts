import { ApiError, notFound } from '../../../core/errors.ts'
import type { ModelMoves } from './world.ts'

const refuse = async (): Promise<never> => {
  throw new ApiError('conflict', 'This service cannot move to another model')
}

/** A service that stays with its model. */
export const idleMoves = (name: string): ModelMoves => ({
  use: async () => {
    throw notFound('model')
  },
  ...{ back: refuse, cancel: refuse, confirm: refuse, reindex: refuse },
  status: () => ({ in_use: name, move: null, former: null }),
})
