import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'

/** Names the store of a row in a list over all stores. */
export const NamedStore = named('NamedStore', t.Object({ id: t.String(), slug: t.String() }))

/** The same with the name that people read. */
export const TitledStore = named(
  'TitledStore',
  t.Object({ id: t.String(), slug: t.String(), name: t.String() }),
)
