import { Elysia } from 'elysia'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { IpEntry, IpEntryBody, IpEntryList, IpEntryParams, IpEntryRemoval, RemovedIpEntry } from './schema.ts'
import type { IpAllowlistService } from './service.ts'

/** Routes for the addresses that may call for a store (contract 4.12). */
export function ipAllowlistRoutes(
  { forStoreSecurity, idempotency }: Pick<Guards, 'forStoreSecurity' | 'idempotency'>,
  ipAllowlist: IpAllowlistService,
) {
  return new Elysia({ name: 'ipAllowlist.routes', prefix: '/v1/security/ip-whitelist', tags: ['Security'] })
    .use(forStoreSecurity)
    .post(
      '',
      ({ request, path, actor, body, set }) => {
        const add = () => ({ status: 201 as const, body: ipAllowlist.add(actor, body) })
        return idempotency.answer({ request, path, actor, body, set }, add)
      },
      {
        can: 'security:manage',
        parse: jsonBody(),
        body: IpEntryBody,
        response: {
          201: IpEntry,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REPEATABLE, 'would_lock_out', [
            'conflict',
            'The address is already on the list, or the list is full.',
          ]),
        },
        detail: {
          operationId: 'addIpEntry',
          summary: 'Allow requests from an address or a block of addresses',
          parameters: [IDEMPOTENCY_KEY],
          description:
            'Once the list has an entry, tokens and API keys of the store work only from listed addresses; the widget works from everywhere. The service refuses an entry that would lock out your own address, unless `force` is true. Only a signed-in person may force it, and the owners are notified by mail. The first entry of a machine grant needs `force`, and an owner or admin who has signed in from inside it within the last 24 hours.',
        },
      },
    )
    .get('', ({ actor }) => ipAllowlist.list(actor.storeId), {
      can: 'security:read',
      response: { 200: IpEntryList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listIpEntries',
        summary: 'List the addresses that may send requests',
        description: 'Oldest first. An empty list is off, and lets requests from everywhere in.',
      },
    })
    .delete(
      '/:id',
      ({ actor, params, query }) => ipAllowlist.remove(actor, params.id, query.force === 'true'),
      {
        can: 'security:manage',
        parse: noBody,
        params: IpEntryParams,
        query: IpEntryRemoval,
        response: {
          200: RemovedIpEntry,
          ...failures(...FOR_STORE, ...WRITING, 'validation_error', 'not_found', 'would_lock_out'),
        },
        detail: {
          operationId: 'removeIpEntry',
          summary: 'Remove an entry from the IP list',
          description: 'Removing the last entry turns the list off: requests are allowed from everywhere.',
        },
      },
    )
}
