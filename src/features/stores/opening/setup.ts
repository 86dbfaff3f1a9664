import { describeOperation } from '../../../core/audit.ts'
import { findEmailFault, normaliseEmail } from '../../../core/email.ts'
import { OperatorError, wrongInput } from '../../../core/operator-error.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import type { PlanName } from '../../../core/plans.ts'
import { deriveSlug, findSlugProblem } from '../../../core/slugs.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { StoreQueries } from '../stores/queries.ts'
import type { StoreService } from '../stores/service.ts'

export interface SetupDeps extends Pick<Base, 'clock' | 'ids' | 'atomically'> {
  storeRows: Pick<StoreQueries, 'findStoreBySlug'>
  stores: Pick<StoreService, 'create' | 'chooseSlug'>
  people: Pick<PeopleQueries, 'findPersonByEmail' | 'hasSuperAdmin' | 'addPerson'>
  hashPassword(password: string): Promise<string>
  verifyPassword(hash: string, password: string): Promise<boolean>
}

export interface SetupRequest {
  email: string
  password: string
  /** Default: the part of the address before the @. */
  fullName?: string | undefined
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

/** @returns the name in its one form. @throws OperatorError */
export function parseStoreName(typed: string): string {
  const name = typed.trim()
  if (name === '' || name.length > 100) throw wrongInput('The store needs a name of 1 to 100 characters')
  return name
}

/**
 * Checks the parts of a set-up request that need no install.
 *
 * @returns address and name in their one form. @throws OperatorError
 */
export function parseSetup({ email: typed, storeName, slug }: SetupRequest): { email: string; name: string } {
  const email = normaliseEmail(typed)
  if (!email) throw wrongInput(`The e-mail address ${findEmailFault(typed)}`)
  const name = parseStoreName(storeName)
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

export type SetupService = ReturnType<typeof setupService>

/** Sets up stores at the command line: the first one of an install, with its super-admin, and further ones. */
export function setupService(deps: SetupDeps) {
  const { storeRows, stores, people, clock, ids, hashPassword, verifyPassword, atomically } = deps

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
      if (storeRows.findStoreBySlug(slug)) throw new OperatorError(`The slug "${slug}" is taken`)
      return slug
    }
    const present = isAnother ? undefined : storeRows.findStoreBySlug(deriveSlug(name))
    if (present) {
      throw new OperatorError(
        `The store ${JSON.stringify(present.name)} exists already (${present.slug}). --new creates a second one.\n` +
          `If you need its secret again: lookalike store new-secret ${present.slug}`,
      )
    }
    return stores.chooseSlug(name)
  }

  return {
    /**
     * Creates a store with its owner and its machine grant (the `setup` command). While the install has no super-admin,
     * a new owner becomes one.
     *
     * @param check runs first in the transaction, and stops it by an error.
     * @throws OperatorError
     */
    async run(request: SetupRequest, check = (): void => {}): Promise<SetupResult> {
      const { email, name } = parseSetup(request)
      // Before the password: a person who lost the secret may have lost the password, too.
      chooseSlug(request)
      const owner = await resolveOwner(email, request)
      try {
        return atomically(() => {
          check()
          const { passwordHash } = owner
          const createdAt = clock.now()
          if (passwordHash !== undefined)
            people.addPerson({
              id: owner.id,
              passwordHash,
              email,
              name: request.fullName ?? email.split('@', 1)[0] ?? email,
              isSuperAdmin: !people.hasSuperAdmin(),
              provenAt: createdAt,
              createdAt,
            })
          const wanted = {
            name,
            slug: chooseSlug(request),
            plan: request.plan ?? 'enterprise',
            ownerId: owner.id,
          }
          const { store, clientSecret } = stores.create(wanted, (storeId, action, details) => ({
            ...describeOperation(null, storeId, action, details),
            userId: owner.id,
          }))
          const { id, slug } = store
          return { store_id: id, slug, client_id: id, client_secret: clientSecret, user_id: owner.id, email }
        })
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error
        throw new OperatorError(`Another process has just created ${email}: run the command again`)
      }
    },

    /** Checks that a store would get the slug that it asks for. @throws OperatorError */
    checkSlug: (request: SetupRequest): void => void chooseSlug(request),
  }
}
