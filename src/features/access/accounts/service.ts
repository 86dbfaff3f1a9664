import { asCallerStore, type CallerStore } from '../../../core/actor.ts'
import type { AuditAction, AuditEvent } from '../../../core/audit.ts'
import { isoTimeOrNull } from '../../../core/clock.ts'
import { findEmailFault, normaliseEmail } from '../../../core/email.ts'
import { OperatorError, wrongInput } from '../../../core/operator-error.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import type { PlanName } from '../../../core/plans.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { deriveSlug, findFreeSlug, findSlugProblem } from '../../../core/slugs.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'

export interface AccountDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  stores: Pick<
    StoreQueries,
    'findStoreBySlug' | 'listStates' | 'countProducts' | 'addStore' | 'setPlan' | 'replaceClientSecret'
  >
  people: Pick<
    PeopleQueries,
    'findPersonByEmail' | 'hasSuperAdmin' | 'addPerson' | 'addMembership' | 'listOwners'
  >
  hashPassword(password: string): Promise<string>
  verifyPassword(hash: string, password: string): Promise<boolean>
}

export interface SetupRequest {
  email: string
  password: string
  storeName: string
  slug?: string | undefined
  /** Default: enterprise, because the store is on the operator's own machine. */
  plan?: PlanName | undefined
  /** Whether the store may get a slug with a number, because another one has the slug of this name. */
  isAnother?: boolean | undefined
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

/** A store for the operator's list. */
export interface ListedStore {
  store_id: string
  slug: string
  name: string
  plan: PlanName
  products: number
  client_id: string
  /** The e-mail addresses of its first owners. */
  owners: string[]
  suspended_at: string | null
  suspended_reason: string | null
  /** When it is deleted for good; null if that is not planned. */
  delete_at: string | null
}

/** The credentials of a store's machine grant. The secret is shown only this once. */
export interface RenewedSecret {
  store_id: string
  slug: string
  client_id: string
  client_secret: string
}

const OWNERS_MAX = 10

const SECRET_BYTES = 32

/**
 * Checks what a request to set up a store can be checked for without an install.
 *
 * @returns address and name in their one form. @throws OperatorError
 */
export function parseSetup({ email: typed, storeName, slug }: SetupRequest): { email: string; name: string } {
  const email = normaliseEmail(typed)
  if (!email) throw wrongInput(`The e-mail address ${findEmailFault(typed)}`)
  const name = storeName.trim()
  if (name === '' || name.length > 100) throw wrongInput('The store needs a name of 1 to 100 characters')
  const fault = slug === undefined ? undefined : findSlugProblem(slug)
  if (fault) throw wrongInput(fault)
  return { email, name }
}

/** Checks the password of a person who has no account yet. @throws OperatorError */
export async function checkNewPassword(request: SetupRequest): Promise<void> {
  const { email } = parseSetup(request)
  const problem = await findPasswordProblem(request.password, { email, storeName: request.storeName })
  if (problem) throw wrongInput(`The password ${problem.message}`)
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
    request: SetupRequest,
  ): Promise<{ id: string; passwordHash: string } | { id: string; passwordHash?: undefined }> {
    const known = people.findPersonByEmail(email)
    if (!known) {
      await checkNewPassword(request)
      return { id: ids.uuid(), passwordHash: await hashPassword(request.password) }
    }
    if (!(await verifyPassword(known.passwordHash, request.password))) {
      throw new OperatorError(`${email} already has an account, with another password`)
    }
    return { id: known.id }
  }

  /** @throws OperatorError if the slug is taken, or if it is that of another store and the request does not expect that. */
  function chooseSlug({ storeName: name, slug, isAnother }: SetupRequest): string {
    if (slug !== undefined) {
      if (stores.findStoreBySlug(slug)) throw new OperatorError(`The slug "${slug}" is taken`)
      return slug
    }
    const present = isAnother ? undefined : stores.findStoreBySlug(deriveSlug(name))
    if (present) {
      throw new OperatorError(
        `The store ${JSON.stringify(present.name)} exists already (${present.slug}). --new creates a second one.\n` +
          `If you need its secret again: lookalike store new-secret ${present.slug}`,
      )
    }
    return findFreeSlug(name, (free) => !stores.findStoreBySlug(free), ids.uuid)
  }

  /** @throws OperatorError */
  function findStore(slug: string) {
    const store = stores.findStoreBySlug(slug)
    if (!store) throw new OperatorError(`There is no store "${slug}"; lookalike store list shows them all`)
    return store
  }

  return {
    /**
     * Creates a store with its owner and its machine grant (the `setup` command). While the install has no super-admin,
     * a new owner becomes one.
     *
     * @throws OperatorError
     */
    async setup(request: SetupRequest): Promise<SetupResult> {
      const { email, name } = parseSetup(request)
      // Before the password, which whoever lost the secret may have lost, too.
      chooseSlug(request)
      const owner = await resolveOwner(email, request)
      const clientSecret = ids.secret(SECRET_BYTES)
      try {
        return atomically(() => {
          const createdAt = clock.now()
          const slug = chooseSlug(request)
          const isSuperAdmin = !people.hasSuperAdmin()
          const id = ids.uuid()
          const plan = request.plan ?? 'enterprise'
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

    /** Checks that a store would get the slug that it asks for. @throws OperatorError */
    checkSlug: (request: SetupRequest): void => void chooseSlug(request),

    /** Lists every store, sorted by slug. */
    listStores: (): ListedStore[] =>
      stores.listStates().map(({ id, slug, name, plan, suspendedAt, suspendedReason, deleteAt }) => ({
        ...{ store_id: id, slug, name, plan },
        products: stores.countProducts(id),
        client_id: id,
        owners: people.listOwners(id, OWNERS_MAX).map(({ email }) => email),
        suspended_at: isoTimeOrNull(suspendedAt),
        suspended_reason: suspendedReason,
        delete_at: isoTimeOrNull(deleteAt),
      })),

    /** Gives a store a new client secret. The old one and its access tokens end. @throws OperatorError */
    renewSecret(slug: string): RenewedSecret {
      const client_secret = ids.secret(SECRET_BYTES)
      return atomically(() => {
        const { id } = findStore(slug)
        stores.replaceClientSecret(id, hashSecret(client_secret), null)
        record(operatorEvent('client_secret.rotated', id, {}))
        return { store_id: id, slug, client_id: id, client_secret }
      })
    },

    /** @throws OperatorError if there is no such store. */
    requireStore: (slug: string): CallerStore => asCallerStore(findStore(slug)),

    /** Moves a store to another plan (contract 6.1). @throws OperatorError if there is no such store. */
    setPlan(slug: string, plan: PlanName): void {
      atomically(() => {
        const store = findStore(slug)
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
