import { asCallerStore, type CallerStore } from '../../../core/actor.ts'
import type { Atomically, AuditAction, AuditEvent, RecordEvent } from '../../../core/audit.ts'
import type { Clock } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import type { Ids } from '../../../core/ids.ts'
import { OperatorError, wrongInput } from '../../../core/operator-error.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import type { PlanName } from '../../../core/plans.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import { findFreeSlug, findSlugProblem } from './slug.ts'

export interface AccountDeps {
  stores: Pick<StoreQueries, 'findStoreBySlug' | 'addStore' | 'setPlan'>
  people: Pick<PeopleQueries, 'findPersonByEmail' | 'hasSuperAdmin' | 'addPerson' | 'addMembership'>
  clock: Clock
  ids: Ids
  hashPassword(password: string): Promise<string>
  verifyPassword(hash: string, password: string): Promise<boolean>
  atomically: Atomically
  record: RecordEvent
}

export interface SetupRequest {
  email: string
  password: string
  storeName: string
  slug?: string | undefined
}

/** The output of `lookalike setup`. The secret is shown only this once. */
export interface SetupResult {
  store_id: string
  slug: string
  client_id: string
  client_secret: string
  user_id: string
  email: string
}

export function accountService({
  stores,
  people,
  clock,
  ids,
  hashPassword,
  verifyPassword,
  atomically,
  record,
}: AccountDeps) {
  /** The future owner: a known person with the right password, or a new person. */
  async function resolveOwner(
    email: string,
    { password, storeName }: SetupRequest,
  ): Promise<{ id: string; passwordHash: string } | { id: string; passwordHash?: undefined }> {
    const known = people.findPersonByEmail(email)
    if (!known) {
      const problem = await findPasswordProblem(password, { email, storeName })
      if (problem) throw wrongInput(`The password ${problem.message}`)
      return { id: ids.uuid(), passwordHash: await hashPassword(password) }
    }
    if (!(await verifyPassword(known.passwordHash, password))) {
      throw new OperatorError(`${email} already has an account, with another password`)
    }
    return { id: known.id }
  }

  /** @throws OperatorError if the slug is taken. */
  function chooseSlug(name: string, slug: string | undefined): string {
    if (slug === undefined) return findFreeSlug(name, (free) => !stores.findStoreBySlug(free), ids.uuid)
    if (stores.findStoreBySlug(slug)) throw new OperatorError(`The slug "${slug}" is taken`)
    return slug
  }

  return {
    /**
     * Creates a store with its owner and its machine grant (the `setup` command). While the install has no super-admin,
     * a new owner becomes one and the store gets the enterprise plan, because it is on the operator's own machine.
     *
     * @throws OperatorError
     */
    async setup(request: SetupRequest, defaultPlan: PlanName = 'free'): Promise<SetupResult> {
      const email = normaliseEmail(request.email)
      if (!email) throw wrongInput(`The e-mail address ${EMAIL_FAULT.message}`)
      const name = request.storeName.trim()
      if (name === '' || name.length > 100) throw wrongInput('The store needs a name of 1 to 100 characters')
      const fault = request.slug === undefined ? undefined : findSlugProblem(request.slug)
      if (fault) throw wrongInput(fault)

      const owner = await resolveOwner(email, request)
      const clientSecret = ids.secret(32)
      try {
        return atomically(() => {
          const createdAt = clock.now()
          const slug = chooseSlug(name, request.slug)
          const isSuperAdmin = !people.hasSuperAdmin()
          const id = ids.uuid()
          const plan = isSuperAdmin ? 'enterprise' : defaultPlan
          const localPart = email.split('@', 1)[0] ?? email
          const user = { email, name: localPart, isSuperAdmin, provenAt: createdAt, createdAt }
          stores.addStore({ id, slug, name, plan, clientSecretHash: hashSecret(clientSecret), createdAt })
          if (owner.passwordHash !== undefined) people.addPerson({ ...user, ...owner })
          people.addMembership(owner.id, id, 'owner', createdAt)
          record(operatorEvent('store.created', id, { slug, plan }, owner.id))
          return { store_id: id, slug, client_id: id, client_secret: clientSecret, user_id: owner.id, email }
        })
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error
        throw new OperatorError(`Another process has just created ${email}: run the command again`)
      }
    },

    /** @throws OperatorError if there is no such store. */
    requireStore(slug: string): CallerStore {
      const store = stores.findStoreBySlug(slug)
      if (!store) throw new OperatorError(`There is no store "${slug}"`)
      return asCallerStore(store)
    },

    /** Moves a store to another plan (contract 6.1). @throws OperatorError if there is no such store. */
    setPlan(slug: string, plan: PlanName): void {
      atomically(() => {
        const store = stores.findStoreBySlug(slug)
        if (!store) throw new OperatorError(`There is no store "${slug}"`)
        stores.setPlan(store.id, plan)
        record(operatorEvent('store.plan_changed', store.id, { before: store.plan, after: plan }))
      })
    },
  }
}

const operatorEvent = (
  action: AuditAction,
  storeId: string,
  details: AuditEvent['details'],
  userId: string | null = null,
): AuditEvent => ({ action, actorKind: 'operator', storeId, userId, keyId: null, details, trace: null })
