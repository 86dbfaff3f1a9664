import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'

export const StoreParams = t.Object({ id: t.String() })

export const CancelQuery = t.Object({
  target: t.Optional(
    oneOf(
      ['lost'] as const,
      'In `switching`: the other node is lost for good and will never serve the store, so it stays here. Refused while that node answers.',
    ),
  ),
})

export const StoreMoveBody = named(
  'StoreMoveInput',
  t.Object({
    to: text({
      minLength: 1,
      maxLength: 2_000,
      description:
        'Address of the other node, as its `lookalike node invite` prints it: https, without a path.',
      examples: ['https://node-2.example.com'],
    }),
    code: text({
      minLength: 1,
      maxLength: 200,
      description: 'The code of `lookalike node invite` on the other node: good for ten minutes, and once.',
    }),
  }),
  { to: 'https://node-2.example.com', code: '0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ-0123-4567-80' },
)
export type StoreMoveBody = typeof StoreMoveBody.static

const IntegerOrNull = t.Union([Type.Integer(), t.Null()])
const StringOrNull = t.Union([t.String(), t.Null()])

/** A move of a store to another node. */
export const StoreMove = named(
  'StoreMove',
  t.Object({
    id: t.String(),
    store: t.Object({ id: t.String(), slug: t.String() }),
    to: t.String({ description: 'The node that the store moves to.' }),
    url: t.String({ description: 'Where the store is served once it has moved.' }),
    phase: oneOf(
      ['copying', 'catching_up', 'paused', 'verifying', 'switching', 'moved', 'cancelled', 'failed'] as const,
      'All is served until `paused`. Writes wait in `paused`, `verifying` and `switching`; in `switching` the other node is asked until it says whether it serves the store. `moved`: it does. `cancelled`, `failed`: the store stays.',
    ),
    rows: Type.Integer({
      description: 'Rows sent so far, with those that were sent again because they changed.',
    }),
    bytes: Type.Integer({ description: 'Bytes sent so far.' }),
    products: Type.Integer({ description: 'Products of the store when the move began.' }),
    products_done: Type.Integer(),
    pictures_done: Type.Integer({ description: 'Picture files that the other node has.' }),
    reembeds: t.Boolean({
      description:
        'Whether the other node has another model, and makes the vectors anew once it serves the store.',
    }),
    pauses: Type.Integer({ description: 'Pauses of writes that were given up.' }),
    pause_seconds: t.Union([t.Number(), t.Null()], {
      description: 'How long writes have waited in the last pause; null before one.',
    }),
    eta_seconds: t.Union([IntegerOrNull], {
      description: 'Until all products are copied, by the pace so far; null while nobody knows it.',
    }),
    problem: t.Union([StringOrNull], { description: 'Why it waits at the moment; null when it does not.' }),
    error: t.Union([StringOrNull], { description: 'Why it failed; null unless it has.' }),
    started_at: Moment,
    finished_at: MomentOrNull,
  }),
)
export type StoreMove = typeof StoreMove.static
