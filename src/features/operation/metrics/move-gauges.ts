import type { MoveStatus } from '../../catalogue/model-moves/schema.ts'
import type { Values } from './gauges.ts'

export type MoveCounts = Pick<
  MoveStatus,
  'state' | 'stores' | 'stores_done' | 'products' | 'products_done' | 'failed'
>

type Add = (name: string, help: string, labelNames: readonly string[], read: () => Values) => void

/** Adds the numbers of the running move to another model, or of the last one. */
export function addMoveGauges(add: Add, findMove: () => MoveCounts | null): void {
  add('model_move_running', '1 while the stores move to another model, otherwise 0.', [], () => [
    [findMove()?.state === 'running' ? 1 : 0],
  ])
  const products = 'Products of the running move to another model, or of the last one, by state.'
  add('model_move_products', products, ['state'], () => {
    const move = findMove()
    return [
      [move?.products_done, { state: 'done' }],
      [move?.failed, { state: 'failed' }],
      [move ? countLeft(move.products, move.products_done + move.failed) : undefined, { state: 'waiting' }],
    ]
  })
  const stores = 'Stores of the running move to another model, or of the last one, by state.'
  add('model_move_stores', stores, ['state'], () => {
    const move = findMove()
    return [
      [move?.stores_done, { state: 'done' }],
      [move ? countLeft(move.stores, move.stores_done) : undefined, { state: 'waiting' }],
    ]
  })
}

const countLeft = (all: number, done: number): number => Math.max(0, all - done)
