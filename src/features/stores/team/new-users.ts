import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { DAY_MS } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import type { Problem } from '../../../core/problem.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import { validationError } from '../../../http/validation.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { GroupService } from '../groups/service.ts'
import type { PeopleQueries } from '../people/queries.ts'
import { accountMadeMail } from './mails.ts'
import { viewUser } from './members.ts'
import type { Rights } from './rights.ts'
import type { User, UserBody } from './schema.ts'

export interface NewUserDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'baseUrl'> {
  people: Pick<
    PeopleQueries,
    'findPerson' | 'findPersonByEmail' | 'findMember' | 'addPerson' | 'addMembership'
  >
  groups: Pick<GroupService, 'listOfMember' | 'assign'>
  rights: Pick<Rights, 'demandOwner' | 'demandCapacityFor' | 'count'>
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  /** Creates a link that sets a person's password, for a mail. Call it in a transaction. */
  createPasswordLink(userId: string, lifeMs: number, revokesOnReset: boolean): string
  hashPassword(password: string, network?: string): Promise<string>
}

/** Life of the link for a new password in the mail about a new account. */
const PASSWORD_LINK_MS = DAY_MS

export type NewUserService = ReturnType<typeof newUserService>

/** Accounts that an owner creates for somebody else (contract 5.10). */
export function newUserService(deps: NewUserDeps) {
  const { people, groups, rights, clock, ids, atomically, record } = deps

  /** @throws ApiError `validation_error` with every problem. */
  async function readUser({ store }: Actor, { email: typed, password, full_name }: UserBody) {
    const email = normaliseEmail(typed)
    const problems: (Problem | undefined)[] = [
      email === undefined ? { in: 'body', pointer: '/email', ...EMAIL_FAULT } : undefined,
      await findPasswordProblem(password, { email: email ?? typed, storeName: store.name }),
    ]
    const found = problems.filter((one) => one !== undefined)
    if (email === undefined || found.length > 0) throw validationError(found)
    return { email, name: full_name.trim() }
  }

  /** @throws ApiError `permission_denied`, `conflict`, `invite_exists`. */
  function demandAddable(actor: Actor, email: string): void {
    rights.demandOwner(actor)
    if (people.findPersonByEmail(email)) throw hasAccount()
    rights.demandCapacityFor(actor.storeId, email, clock.now())
  }

  /** Creates the account with its membership, and a mail to its owner. */
  function add(
    actor: Actor,
    id: string,
    person: { email: string; name: string },
    hash: string,
    body: UserBody,
  ): void {
    const { storeId, store, userId } = actor
    const { email } = person
    const now = clock.now()
    const { role = 'viewer', group_ids = [] } = body
    demandAddable(actor, email)
    rights.count(storeId, email, now)
    people.addPerson({
      ...{ ...person, id, passwordHash: hash, isSuperAdmin: false, createdAt: now },
      // Somebody else chose the password.
      provenAt: null,
    })
    people.addMembership(id, storeId, role, now)
    groups.assign(storeId, id, group_ids)
    record(describeAct(actor, 'member.added', { id, email, role, group_ids }))
    const maker = people.findPerson(userId as string)?.email ?? ''
    const link = deps.createPasswordLink(id, PASSWORD_LINK_MS, true)
    const mail = accountMadeMail(email, maker, store.slug, link, deps.baseUrl())
    deps.outbox.sendAfterCommit([mail], { wantedMs: PASSWORD_LINK_MS, mayGiveWay: true })
  }

  return {
    /**
     * Creates an account with a membership (POST /v1/users). Its mailbox is not proven: its owner gets a mail with a link
     * for a password of their own.
     *
     * @throws ApiError `validation_error`, `permission_denied`, `conflict` for an address with an account or a full store,
     * `invite_exists`, `rate_limit_exceeded`, `overloaded`.
     */
    async create(actor: Actor, body: UserBody): Promise<User> {
      const person = await readUser(actor, body)
      // Before the password is hashed, because that costs time.
      demandAddable(actor, person.email)
      const hash = await deps.hashPassword(body.password, networkKey(actor.clientInfo.address))
      const id = ids.uuid()
      atomically(() => add(actor, id, person, hash, body))
      const row = people.findMember(actor.storeId, id)
      if (!row) throw notFound('member')
      return viewUser(row, groups.listOfMember(actor.storeId, id))
    },
  }
}

const hasAccount = () =>
  new ApiError(
    'conflict',
    'The e-mail address has an account already: invite its owner with POST /v1/team/invite',
  )
