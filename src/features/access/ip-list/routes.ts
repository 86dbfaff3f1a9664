import { Elysia } from 'elysia'
import type { AuthPlugin } from '../../../http/auth.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { bodyErrors, failure, signedInErrors } from '../../../http/schema.ts'
import { IpEntry, IpEntryBody, IpEntryList, IpEntryParams, IpEntryRemoval, RemovedIpEntry } from './schema.ts'
import type { IpWhitelistService } from './service.ts'

/** Spec §4.7, D9: from where a store may be called. */
export function ipListRoutes(auth: AuthPlugin, ipList: IpWhitelistService) {
  return new Elysia({ name: 'ipList.routes', prefix: '/v1/security/ip-whitelist', tags: ['Security'] })
    .use(auth)
    .post('', ({ actor, body, status }) => status(201, ipList.add(actor, body)), {
      can: 'security:manage',
      parse: jsonBody(),
      body: IpEntryBody,
      response: {
        201: IpEntry,
        409: failure('`conflict`: on the list already, or as many as there may be; `would_lock_out`'),
        ...signedInErrors,
        ...bodyErrors,
      },
      detail: {
        operationId: 'addIpEntry',
        summary: 'Allow calls from an address or a block of addresses',
        description:
          'Once the list has an entry, tokens and API keys of the store work from listed addresses only; the widget works from everywhere. An entry that would lock your own address out is refused unless `force` is true, which takes the login of a person; the owners are told by mail.',
      },
    })
    .get('', ({ actor }) => ipList.list(actor.storeId), {
      can: 'security:read',
      response: { 200: IpEntryList, ...signedInErrors },
      detail: { operationId: 'listIpEntries', summary: 'List the addresses that calls are allowed from' },
    })
    .delete('/:id', ({ actor, params, query }) => ipList.remove(actor, params.id, query.force === 'true'), {
      can: 'security:manage',
      parse: noBody,
      params: IpEntryParams,
      query: IpEntryRemoval,
      response: {
        200: RemovedIpEntry,
        404: failure('`not_found`'),
        409: failure('`would_lock_out`'),
        422: failure('`validation_error`'),
        ...signedInErrors,
        503: failure('`storage_full`, `storage_failed`, `read_only`'),
      },
      detail: {
        operationId: 'removeIpEntry',
        summary: 'Take an entry off the IP list',
        description: 'Without its last entry the list is off: calls are allowed from everywhere.',
      },
    })
}
