import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { MomentOrNull } from '../../../http/paging.ts'

/** Clicks that a store needs before it may learn from them. */
export const CLICKS_NEEDED = 500

export const Learning = named(
  'Learning',
  t.Object({
    learn: t.Boolean({
      description: 'Whether searches of the store count what it has learned (`search_defaults.learn`).',
    }),
    clicks: Type.Integer({
      description: 'Clicks on results, as far back as searches are kept.',
    }),
    needed: Type.Integer({ description: 'Clicks from which on a store may learn.' }),
    replay_gain: t.Union([t.Number(), t.Null()], {
      description:
        'What the last replay with `learn` showed: the `gain` of its clicks. Above 0 a store may learn. null before the first one.',
    }),
    can_learn: t.Boolean({ description: 'Whether `search_defaults.learn` may be true.' }),
    products: Type.Integer({ description: 'Products that gain by what the store has learned.' }),
    learned_at: MomentOrNull,
  }),
)
export type Learning = typeof Learning.static
