import { ApiError } from '../../../core/errors.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { RegistrationService } from '../registration/service.ts'
import { tryWrite } from './unwritten.ts'

export interface PasswordCheckDeps extends Pick<Base, 'log'> {
  people: Pick<PeopleQueries, 'replacePasswordHash'>
  passwords: Pick<PasswordHasher, 'hash' | 'verify' | 'isOutdated'>
  findPendingPassword: RegistrationService['findPendingPassword']
}

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/** Checks the password of a sign-in. */
export function createPasswordCheck(deps: PasswordCheckDeps) {
  const { people, passwords, log } = deps

  return {
    /**
     * Finds the owner of a password, with the same work for known and unknown addresses.
     *
     * @returns undefined for a wrong password.
     * @throws ApiError `account_not_verified` if the right password belongs to a registration that waits for its link.
     */
    async findOwner(
      email: string,
      person: PersonRow | undefined,
      password: string,
      network: string,
    ): Promise<PersonRow | undefined> {
      if ((await passwords.verify(person?.passwordHash, password, network)) && person) return person
      // Also for people with an account: a stranger who registers their address must not learn that they have one.
      if (await passwords.verify(deps.findPendingPassword(email), password, network)) {
        throw new ApiError(
          'account_not_verified',
          'If you registered: open the link in the mail that was sent to you',
        )
      }
      return undefined
    },

    /** The same while the e-mail address is locked: one password, and no registration. */
    isOwn: (person: PersonRow | undefined, password: string, network: string): Promise<boolean> =>
      passwords.verify(person?.passwordHash, password, network),

    /** Updates a hash to today's parameters. This comes before the second factor, which must not be used up in vain. */
    async rehash(person: PersonRow, password: string): Promise<PersonRow> {
      if (!passwords.isOutdated(person.passwordHash)) return person
      const passwordHash = await passwords.hash(password)
      return tryWrite(log, () => people.replacePasswordHash(person.id, person.passwordHash, passwordHash))
        ? { ...person, passwordHash }
        : person
    },
  }
}
