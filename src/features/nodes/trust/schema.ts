import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'

const Purpose = oneOf(
  ['move', 'standby'] as const,
  '`move`: another node may send one store. `standby`: another machine may get the files of `secrets/`.',
)

export const NodeInviteBody = named(
  'NodeInviteInput',
  t.Object({ for: t.Optional(Purpose) }, { additionalProperties: false }),
  { for: 'move' },
)
export type NodeInviteBody = typeof NodeInviteBody.static

export const NodeInvite = named(
  'NodeInvite',
  t.Object({
    code: t.String({ description: 'Shown once. It also holds which certificate this node shows.' }),
    for: Purpose,
    url: t.String({ description: 'Where other nodes reach this one, as far as it knows.' }),
    command: t.String({ description: 'What to enter on the other node.' }),
    expires_at: Moment,
  }),
)
export type NodeInvite = typeof NodeInvite.static
