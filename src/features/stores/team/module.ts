import { Elysia } from 'elysia'
import { HOUR_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import type { PortalDoor } from '../../../http/portal-door.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { PortalService } from '../../access/sign-in/portal-service.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base, Module } from '../../module.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { StoreQueries } from '../stores/queries.ts'
import { type AcceptanceDeps, acceptanceService } from './acceptance.ts'
import { type InviteService, inviteService } from './invites.ts'
import { memberRoutes, retiredUserRoutes, userRoutes } from './member-routes.ts'
import { type MemberDeps, memberService } from './members.ts'
import { type NewUserDeps, newUserService } from './new-users.ts'
import { type InviteQueries, inviteQueries } from './queries.ts'
import { createRights, type Rights } from './rights.ts'
import { acceptanceRoutes, inviteRoutes } from './routes.ts'

export interface TeamNeeds
  extends Pick<AcceptanceDeps, 'requestPassword'>,
    Pick<MemberDeps, 'groups'>,
    Pick<NewUserDeps, 'createPasswordLink'> {
  storeRows: StoreQueries
  people: PeopleQueries
  outbox: OutboxService
  invitations: Invitations
  passwords: Pick<PasswordHasher, 'hash'>
  /** Signs a new person in who accepts in a browser. */
  portal: Pick<PortalService, 'signInFirst'>
  portalDoor: PortalDoor
}

/** The invitations to stores, with what the rest of the team shares with them. */
export interface Invitations {
  service: InviteService
  queries: InviteQueries
  rights: Rights
}

/** Wires the invitations, which need no service. */
export function buildInvitations(base: Base, needs: Pick<TeamNeeds, 'people' | 'outbox'>): Invitations {
  const queries = inviteQueries(base.db)
  const limitPerHour = (bucket: string, limit: number) => base.throttle(bucket, limit, HOUR_MS)
  const limits = {
    byStore: limitPerHour('invite.store', LIMITS.invitesPerStorePerHour),
    byStoreAndEmail: limitPerHour('invite.store_email', LIMITS.invitesPerEmailPerHour),
    byEmail: limitPerHour('invite.email', LIMITS.invitesOfEmailPerHour),
  }
  const rights = createRights({ people: needs.people, queries, limits })
  return { service: inviteService({ ...base, ...needs, queries, rights }), queries, rights }
}

/**
 * Wires the team of a store. `rights.ts` is asked inside each transaction, because the actor may have lost the role
 * while a password was hashed. `acceptance.ts` joins a person to a store: an account that nobody has proven must set
 * a new password first. An invitation is pending only while its inviter may still invite.
 */
export function buildTeam(base: Base, needs: TeamNeeds) {
  const { service: invites, queries, rights } = needs.invitations
  const common = { ...base, ...needs, queries, rights, hashPassword: needs.passwords.hash }
  const acceptance = acceptanceService(common)
  const members = memberService(common)
  const newUsers = newUserService(common)

  return {
    service: {
      invites,
    },
    routes: (guards: Guards) =>
      new Elysia({ name: 'team.routes' })
        .use(inviteRoutes(guards, invites))
        .use(acceptanceRoutes(guards, acceptance, needs))
        .use(memberRoutes(guards, members))
        .use(userRoutes(guards, members, newUsers))
        .use(retiredUserRoutes(guards)),
    chores: [{ name: 'deleting old invitations', everyMs: HOUR_MS, run: invites.prune }],
  } satisfies Module<unknown>
}
