import type { Clock } from '../../core/clock.ts'
import type { Ids } from '../../core/ids.ts'
import type { PlanName } from '../../core/plans.ts'
import { words } from '../../core/text.ts'
import type { AccountQueries, StoreRow } from './queries.ts'

export interface AccountDeps {
  queries: AccountQueries
  clock: Clock
  ids: Ids
  hashPassword(password: string): Promise<string>
  verifyPassword(hash: string, password: string): Promise<boolean>
  hashSecret(secret: string): Buffer
}

export interface SetupRequest {
  email: string
  password: string
  storeName: string
  slug?: string | undefined
}

/** What `lookalike setup` prints; the secret is shown this once. */
export interface SetupResult {
  store_id: string
  slug: string
  client_id: string
  client_secret: string
  user_id: string
  email: string
}

/** A refusal of a command, told to the operator as it is. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
  /** What was typed can never work, whatever the install holds. */
  readonly isWrongInput: boolean

  constructor(message: string, { isWrongInput = false } = {}) {
    super(message)
    this.isWrongInput = isWrongInput
  }
}

const wrongInput = (message: string) => new SetupError(message, { isWrongInput: true })

const PASSWORD_CHARS_MIN = 10
const PASSWORD_CHARS_MAX = 1_024

export type AccountService = ReturnType<typeof accountService>

export function accountService({
  queries,
  clock,
  ids,
  hashPassword,
  verifyPassword,
  hashSecret,
}: AccountDeps) {
  async function ownerFor(email: string, password: string, createdAt: number) {
    const known = queries.userByEmail(email)
    if (!known) {
      const isSuperAdmin = queries.counts().users === 0
      const passwordHash = await hashPassword(password)
      return {
        id: ids.uuid(),
        email,
        name: email.split('@', 1)[0] ?? email,
        passwordHash,
        isSuperAdmin,
        createdAt,
      }
    }
    if (!(await verifyPassword(known.passwordHash, password))) {
      throw new SetupError(`${email} exists already and has another password`)
    }
    return { id: known.id }
  }

  return {
    /**
     * Makes a store with its owner and its machine grant (the `setup` command). The first store of an install is on
     * the enterprise plan, for it is the operator's own machine; the first user is a super-admin.
     *
     * @throws SetupError in words for the operator.
     */
    async setup(request: SetupRequest, defaultPlan: PlanName = 'free'): Promise<SetupResult> {
      const email = normaliseEmail(request.email)
      if (request.password.length < PASSWORD_CHARS_MIN || request.password.length > PASSWORD_CHARS_MAX) {
        throw wrongInput(`The password must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`)
      }
      const name = request.storeName.trim()
      if (name === '' || name.length > 100) throw wrongInput('The store needs a name of 1 to 100 characters')
      const slug =
        request.slug === undefined ? freeSlug(name, (slug) => !queries.storeBySlug(slug)) : request.slug
      if (!SLUG.test(slug) || RESERVED_SLUGS.has(slug)) {
        throw wrongInput(`"${slug}" is no usable slug: use 2 to 40 letters a-z, digits and dashes`)
      }
      if (queries.storeBySlug(slug)) throw new SetupError(`The slug "${slug}" is taken`)

      const createdAt = clock.now()
      const owner = await ownerFor(email, request.password, createdAt)
      const id = ids.uuid()
      const clientSecret = ids.secret(32)
      const plan = queries.counts().stores === 0 ? 'enterprise' : defaultPlan
      const store = { id, slug, name, plan, clientSecretHash: hashSecret(clientSecret), createdAt }
      try {
        queries.addStore(store, owner)
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error
        throw new SetupError('The same store or user was made by somebody else just now: run it again')
      }
      return { store_id: id, slug, client_id: id, client_secret: clientSecret, user_id: owner.id, email }
    },

    /** The store of that slug. @throws SetupError when there is none. */
    storeBySlug(slug: string): StoreRow {
      const store = queries.storeBySlug(slug)
      if (!store) throw new SetupError(`There is no store "${slug}"`)
      return store
    },

    /** Puts a store on another plan (spec §8). @throws SetupError when there is no such store. */
    setPlan(slug: string, plan: PlanName): void {
      if (!queries.setPlan(slug, plan)) throw new SetupError(`There is no store "${slug}"`)
    },
  }
}

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])$/

/** First segments of paths that the service itself answers (spec §9). */
const RESERVED_SLUGS = new Set(
  'admin docs errors health metrics oauth openapi pictures portal register setup v1 verify version widget'.split(
    ' ',
  ),
)

/** A slug made of the store's name, with a number behind it while it is taken. */
function freeSlug(name: string, isFree: (slug: string) => boolean): string {
  const base = words(name)
    .join('-')
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 32)
    .replace(/^-+|-+$/g, '')
  const start = base.length < 2 || RESERVED_SLUGS.has(base) ? `store${base && `-${base}`}` : base
  for (let n = 1; ; n++) {
    const slug = n === 1 ? start : `${start}-${n}`
    if (isFree(slug)) return slug
  }
}

/** One account an address: compatibility forms and case are folded, the shape is checked. */
function normaliseEmail(email: string): string {
  const address = email.normalize('NFKC').trim().toLowerCase()
  if (address.length > 254 || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address)) {
    throw wrongInput('The e-mail address is not valid')
  }
  return address
}
