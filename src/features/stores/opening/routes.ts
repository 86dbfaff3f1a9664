import { Elysia } from 'elysia'
import { jsonBody } from '../../../http/body.ts'
import { FOR_CALLER, FOR_SUPER_ADMIN, failures, JSON_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { AdminStoreBody, OpenedStore, StoreBody, StoreWithInvite } from './schema.ts'
import type { OpeningService } from './service.ts'

/** Contract 5.16: a signed-in person opens another store. */
export function openingRoutes(
  { forCaller, idempotency }: Pick<Guards, 'forCaller' | 'idempotency'>,
  opening: OpeningService,
) {
  return new Elysia({ name: 'opening.own.routes', prefix: '/v1/stores', tags: ['Store'] })
    .use(forCaller)
    .post(
      '',
      ({ request, path, caller, body, set }) =>
        idempotency.answerPerson({ request, path, actor: caller, body, set }, () => ({
          status: 201 as const,
          body: opening.open(caller, body),
        })),
      {
        person: true,
        parse: jsonBody(),
        body: StoreBody,
        response: {
          201: OpenedStore,
          ...failures(
            ...FOR_CALLER,
            ...WRITING,
            ...JSON_BODY,
            ...REPEATABLE,
            ['permission_denied', 'Only the operator opens stores here, or the credential is no person’s.'],
            ['account_not_verified', 'The account is not known to belong to the owner of its mailbox.'],
            [
              'conflict',
              'The slug is taken (`details.slug`), or you own as many stores as one person may (`details.limit`).',
            ],
          ),
        },
        detail: {
          operationId: 'openStore',
          summary: 'Open a store of your own',
          description:
            'You become its owner. It has a plan of its own, and nothing in it yet; its first client secret is made with `POST /v1/security/client-secret/rotate`. How many stores a person may own is the operator’s to say (`STORES_PER_PERSON`).',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
}

/** Contract 8.10: the operator opens a store for somebody else. */
export function adminOpeningRoutes(
  { forSuperAdmin, idempotency }: Pick<Guards, 'forSuperAdmin' | 'idempotency'>,
  opening: OpeningService,
) {
  return new Elysia({ name: 'opening.admin.routes', prefix: '/v1/admin/stores', tags: ['Operator'] })
    .use(forSuperAdmin)
    .post(
      '',
      ({ request, path, caller, body, set }) => {
        const open = async () => ({ status: 201 as const, body: await opening.openFor(caller, body) })
        return idempotency.answerPerson({ request, path, actor: caller, body, set }, open, { isSecret: true })
      },
      {
        superAdmin: true,
        parse: jsonBody(),
        body: AdminStoreBody,
        response: {
          201: StoreWithInvite,
          ...failures(...FOR_SUPER_ADMIN, ...WRITING, ...JSON_BODY, ...REPEATABLE, [
            'conflict',
            'The slug is taken (`details.slug`), or the address is your own.',
          ]),
        },
        detail: {
          operationId: 'openStoreAsOperator',
          summary: 'Open a store and invite its owner',
          description:
            'The store exists at once; its owner joins by the link of the invitation, with an account that the address has or with a new one. If the mail could not be sent, `invite.accept_url` is the link for you to hand over.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
}
