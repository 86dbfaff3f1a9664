import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { LINE, text } from '../../../http/text-schema.ts'

/** The most entries in the list of a store (contract 6.4). */
export const IP_ENTRIES_MAX = 100

const DESCRIPTION_CHARS_MAX = 200

/** An entry to add (contract 4.12). */
export const IpEntryBody = named(
  'IpEntryInput',
  t.Object({
    ip_address: text({
      minLength: 1,
      maxLength: 100,
      description: 'An IPv4 or IPv6 address, or a block of addresses in CIDR notation.',
      examples: ['203.0.113.0/24'],
    }),
    description: t.Optional(
      text({
        maxLength: DESCRIPTION_CHARS_MAX,
        pattern: LINE,
        description: 'printable characters on one line',
        examples: ['Office'],
      }),
    ),
    force: t.Optional(
      t.Boolean({
        default: false,
        description:
          'Apply the change even if it locks out your own address. For people, and for the first entry of a machine grant.',
      }),
    ),
  }),
  { ip_address: '203.0.113.0/24', description: 'Office' },
)
export type IpEntryBody = typeof IpEntryBody.static

export const IpEntry = named(
  'IpEntry',
  t.Object({
    id: t.String(),
    ip_address: t.String({ description: 'The block in canonical form; a single address has /32 or /128.' }),
    description: t.String(),
    created_at: Moment,
    created_by: t.Union([t.String(), t.Null()], { description: 'Id of the user; null for a machine grant.' }),
  }),
)
export type IpEntry = typeof IpEntry.static

export const IpEntryList = named(
  'IpEntryList',
  t.Object({
    entries: t.Array(IpEntry, { description: 'Oldest first.' }),
    count: Type.Integer(),
    enabled: t.Boolean({
      description: 'Whether the list is enforced: true as soon as it has an entry.',
    }),
  }),
)
export type IpEntryList = typeof IpEntryList.static

export const IpEntryParams = t.Object({ id: t.String() })

export const IpEntryRemoval = t.Object({
  force: t.Optional(
    t.Union([t.Literal('true'), t.Literal('false')], {
      description: 'Apply the change even if it locks out your own address; for people only.',
    }),
  ),
})
export type IpEntryRemoval = typeof IpEntryRemoval.static

export const RemovedIpEntry = named('Deleted', t.Object({ status: t.Literal('deleted'), id: t.String() }))
export type RemovedIpEntry = typeof RemovedIpEntry.static
