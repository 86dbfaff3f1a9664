import { Elysia } from 'elysia'
import type { ClientInfo } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import type { PortalDoor } from '../../../http/portal-door.ts'
import type { PortalService } from '../../access/sign-in/portal-service.ts'
import type { AcceptanceService } from './acceptance.ts'
import type { InviteService } from './invites.ts'
import {
  Acceptance,
  Accepted,
  InviteBody,
  InviteCancelled,
  InviteList,
  InviteOffer,
  InviteParams,
  InviteToken,
  NewInvite,
} from './schema.ts'

/** Failures of the routes that anyone with a link may call. */
const FOR_INVITED = [
  ...JSON_BODY,
  ['unauthorized', 'No invitation has this token.'],
  ['store_suspended', 'The store is suspended; nobody can join it at the moment.'],
  ['rate_limit_exceeded', 'Too many requests came from this network address.'],
] as const

const ENDED = 'The invitation was accepted, was cancelled or has expired; `details.status` says which.'

/** Routes for invitations to a store (contract 5.9). */
export function inviteRoutes(
  { forStoreSecurity, idempotency }: Pick<Guards, 'forStoreSecurity' | 'idempotency'>,
  invites: InviteService,
) {
  return new Elysia({ name: 'team.invites.routes', prefix: '/v1/team', tags: ['Team'] })
    .use(forStoreSecurity)
    .post(
      '/invite',
      ({ request, path, actor, body, set }) => {
        const create = async () => ({ status: 201 as const, body: await invites.create(actor, body) })
        return idempotency.answer({ request, path, actor, body, set }, create, { isSecret: true })
      },
      {
        can: 'team:invite',
        parse: jsonBody(),
        body: InviteBody,
        response: {
          201: NewInvite,
          ...failures(
            ...FOR_STORE,
            ...WRITING,
            ...JSON_BODY,
            ...REPEATABLE,
            [
              'conflict',
              'That is your own address or a member’s, or members and open invitations fill the store (`details.limit`).',
            ],
            ['invite_exists', 'The address has a pending invitation to this store, `details.invite_id`.'],
          ),
        },
        detail: {
          operationId: 'invite',
          summary: 'Invite a person to the store by mail',
          description:
            'The link works once, for 7 days. If the mail could not be sent, `email_sent` is false, and `accept_url` is the link for you to hand over.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('/invites', ({ actor }) => invites.list(actor.storeId), {
      can: 'team:invite',
      response: { 200: InviteList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listInvites',
        summary: 'List the invitations of the store, the newest first',
        description: `Ended ones stay for about ${LIMITS.endedInviteDays} days.`,
      },
    })
    .delete('/invites/:id', ({ actor, params }) => invites.cancel(actor, params.id), {
      can: 'team:invite',
      parse: noBody,
      params: InviteParams,
      response: {
        200: InviteCancelled,
        ...failures(
          ...FOR_STORE,
          ...WRITING,
          'validation_error',
          ['conflict', ENDED],
          ['not_found', 'The store has no invitation with this id.'],
        ),
      },
      detail: {
        operationId: 'cancelInvite',
        summary: 'Cancel a pending invitation; its link stops working at once',
        description:
          'Its link stops working at once. Only a pending invitation can be cancelled; a new one gets a new link.',
      },
    })
}

/** Routes for the invited, who have no credential but the token of their link (contract 5.9). */
export function acceptanceRoutes(
  { forAnyone, budgets }: Pick<Guards, 'forAnyone' | 'budgets'>,
  acceptance: AcceptanceService,
  { portal, portalDoor }: { portal: Pick<PortalService, 'signInFirst'>; portalDoor: PortalDoor },
) {
  /** Signs the owner of a new account in, if the page of this service asked. @returns the headers of the answer. */
  async function signIn(request: Request, { user_id, is_existing_user }: Accepted, clientInfo: ClientInfo) {
    if (is_existing_user || !portalDoor.isFromOwnPage(request)) return {}
    const { cookie } = await portal.signInFirst(user_id, clientInfo)
    return portalDoor.giveCookie(request, cookie)
  }

  const parse = spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax))
  return new Elysia({ name: 'team.acceptance.routes', prefix: '/v1/team/invites', tags: ['Team'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
    })
    .post('/look', ({ body }) => acceptance.show(body.token), {
      parse,
      body: InviteToken,
      response: { 200: InviteOffer, ...failures(...FOR_INVITED, ...READING, ['conflict', ENDED]) },
      detail: {
        operationId: 'lookAtInvite',
        summary: 'Show what the link of an invitation offers; nothing changes',
        description: 'Needs no sign-in. The page behind the link of an invitation asks this first.',
      },
    })
    .post(
      '/accept',
      async ({ request, body, clientInfo, set }) => {
        const accepted = await acceptance.accept(body, clientInfo)
        Object.assign(set.headers, await signIn(request, accepted, clientInfo))
        return accepted
      },
      {
        parse,
        body: Acceptance,
        response: {
          200: Accepted,
          ...failures(
            ...FOR_INVITED,
            ...WRITING,
            [
              'conflict',
              'The invitation was accepted, was cancelled or has expired (`details.status`), or its person is a member already.',
            ],
            [
              'account_not_verified',
              'The address has an account whose owner must first set a new password by mail; the link for it was mailed.',
            ],
          ),
        },
        detail: {
          operationId: 'acceptInvite',
          summary: 'Accept an invitation by the token of its link',
          description:
            'Needs no sign-in. An address without an account needs `full_name` and `password`, and gets one. An existing account joins the store and stays as it is: `full_name` and `password` are ignored. To a page of this service, the answer about a new account carries the cookie of `POST /portal/session`: the person is signed in.',
        },
      },
    )
}
