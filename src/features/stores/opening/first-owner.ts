import type { ClientInfo } from '../../../core/actor.ts'
import { findEmailFault, normaliseEmail } from '../../../core/email.ts'
import { ApiError } from '../../../core/errors.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import { validationError } from '../../../http/validation.ts'
import type { PortalService } from '../../access/sign-in/portal-service.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { StoreQueries } from '../stores/queries.ts'
import type { SetupAnswer, SetupBody, SetupState } from './schema.ts'
import type { SetupService } from './setup.ts'
import type { SetupCodes } from './setup-codes.ts'
import { demandSlug, slugTaken } from './slug-rule.ts'

export interface FirstOwnerDeps {
  codes: Pick<SetupCodes, 'demand' | 'use'>
  setup: Pick<SetupService, 'run'>
  storeRows: Pick<StoreQueries, 'findStoreBySlug'>
  people: Pick<PeopleQueries, 'hasSuperAdmin' | 'findPersonByEmail'>
  portal: Pick<PortalService, 'signInFirst'>
  /** Of this program. */
  version: string
}

export type FirstOwnerService = ReturnType<typeof firstOwnerService>

/** The set-up in a browser (contract 5.18): whoever reads the code in the terminal becomes the first super-admin. */
export function firstOwnerService({ codes, setup, storeRows, people, portal, version }: FirstOwnerDeps) {
  /** @throws ApiError `conflict` once there is a super-admin. */
  function demandNoOwner(): void {
    if (people.hasSuperAdmin()) throw hasOwner()
  }

  /** Checks what only the database can tell. @throws ApiError `conflict`. */
  function demandFree(email: string, slug: string | undefined): void {
    demandNoOwner()
    if (people.findPersonByEmail(email)) throw accountExists()
    if (slug !== undefined && storeRows.findStoreBySlug(slug)) throw slugTaken(slug)
  }

  /** @throws ApiError `validation_error`. */
  async function demandAccount({ email: typed, password, store }: SetupBody): Promise<string> {
    const email = normaliseEmail(typed)
    if (!email) {
      const message = findEmailFault(typed) ?? 'is no e-mail address'
      throw validationError([{ in: 'body', pointer: '/email', code: 'format', message }])
    }
    const problem = await findPasswordProblem(password, { email, storeName: store })
    if (problem) throw validationError([problem])
    return email
  }

  return {
    /** GET /setup/state */
    describe: (): SetupState => ({ has_owner: people.hasSuperAdmin(), version }),

    /**
     * POST /setup: makes the super-admin with a first store, and signs them in. The code is used up in the transaction of
     * the account: of several set-ups at once, exactly one wins.
     *
     * @throws ApiError `conflict`, `unauthorized`, `rate_limit_exceeded`, `validation_error`, `overloaded`.
     */
    async run(body: SetupBody, clientInfo: ClientInfo): Promise<{ answer: SetupAnswer; cookie: string }> {
      demandNoOwner()
      codes.demand(body.code, clientInfo.address)
      demandSlug(body)
      const email = await demandAccount(body)
      demandFree(email, body.slug)
      const made = await setup.run(
        {
          email,
          password: body.password,
          fullName: body.full_name?.trim(),
          storeName: body.store,
          slug: body.slug,
          isAnother: true,
        },
        // The password was hashed in the meantime.
        () => {
          demandFree(email, body.slug)
          codes.use(body.code)
        },
      )
      const { answer, cookie } = await portal.signInFirst(made.user_id, clientInfo)
      return { answer: { ...made, ...answer }, cookie }
    },
  }
}

const hasOwner = () =>
  new ApiError(
    'conflict',
    'This installation has an owner already; sign in, or ask the owner for an invitation',
  )

const accountExists = () =>
  new ApiError(
    'conflict',
    'This e-mail address has an account already, and the set-up makes a new one; send another address',
  )
