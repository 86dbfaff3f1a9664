import type { Caller } from '../../../core/actor.ts'
import { ApiError, signInFirst, tooManyRequests } from '../../../core/errors.ts'
import { readCodes } from '../../../core/second-factor.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { validationError } from '../../../http/validation.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { BufferedSessions } from '../sessions/buffered-sessions.ts'
import type { FactorCheck } from '../two-factor/factor-check.ts'
import type { ShownCredentials } from './schema.ts'

export interface ReauthenticationDeps extends Pick<Base, 'clock' | 'atomically'> {
  people: Pick<PeopleQueries, 'findPerson'>
  sessions: Pick<BufferedSessions, 'findSession'>
  twoFactor: Pick<FactorCheck, 'isEnabled' | 'pass' | 'countWrongCode'>
  passwords: Pick<PasswordHasher, 'verify'>
  /** Wrong passwords and codes of one signed-in person. They do not count as failed sign-ins, which a stranger can cause. */
  wrongTries: Throttle
  /** Runs the work of one key in order. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

/** The password of a request, and where it stands. */
interface ShownPassword {
  password: string
  /** JSON pointer into the body. */
  pointer: string
}

/** The work for a person who shows the password. */
interface PasswordWork<Prepared, Result> {
  /** Runs before the password is checked, and may refuse. */
  check(person: PersonRow): Promise<void>
  /** Slow work, once the password was right. */
  prepare(): Promise<Prepared>
  /** Runs in the transaction. */
  act(person: PersonRow, prepared: Prepared): Result
}

export type ReauthenticationService = ReturnType<typeof reauthenticationService>

/** Asks a signed-in person for the password again, and for a code if the account has a second factor. */
export function reauthenticationService(deps: ReauthenticationDeps) {
  const { people, sessions, twoFactor, passwords, wrongTries, clock, atomically } = deps

  function requirePerson({ userId }: Caller): PersonRow {
    const person = userId === null ? undefined : people.findPerson(userId)
    if (!person) throw signInFirst()
    return person
  }

  /** @throws ApiError `requires_2fa`. */
  function isCodeRight({ id }: PersonRow, shown: ShownCredentials, caller: Caller): boolean {
    if (!twoFactor.isEnabled(id)) return true
    const { totp_code, recovery_code } = readCodes(shown)
    if (totp_code === undefined && recovery_code === undefined) {
      throw new ApiError('requires_2fa', 'Repeat the request with the code of your authenticator', {
        details: { requires_2fa: true },
      })
    }
    return twoFactor.pass(id, { totp_code, recovery_code }, caller.clientInfo).ok
  }

  function countWrongCode(person: PersonRow): void {
    atomically(() => {
      wrongTries.add(person.id, clock.now())
      twoFactor.countWrongCode(person)
    })
  }

  /** @throws ApiError `validation_error` at `pointer` for a wrong password, which counts. */
  async function checkPassword(person: PersonRow, { password, pointer }: ShownPassword): Promise<void> {
    if (await passwords.verify(person.passwordHash, password)) return
    wrongTries.add(person.id, clock.now())
    throw validationError([{ in: 'body', pointer, code: 'wrong', message: 'is not your password' }])
  }

  /**
   * Finds the person again. While a password was hashed, the caller may have lost the right, or the password may have been
   * reset.
   *
   * @throws ApiError `unauthorized`.
   */
  function requireUnchanged(caller: Caller, { passwordHash }: PersonRow): PersonRow {
    caller.demandStill()
    const sessionId = caller.token?.sessionId ?? null
    const isSignedIn = sessionId !== null && sessions.findSession(sessionId) !== undefined
    const now = requirePerson(caller)
    if (!isSignedIn || now.passwordHash !== passwordHash) throw signInFirst()
    return now
  }

  /** @throws ApiError `too_many_requests`. */
  function requireTry({ id }: PersonRow): void {
    const verdict = wrongTries.peek(id, clock.now())
    if (!verdict.isAllowed) throw tooManyRequests(verdict)
  }

  async function reauthenticateOnce<Result>(
    caller: Caller,
    shown: ShownCredentials,
    act: (person: PersonRow) => Result,
  ): Promise<Result> {
    const person = requirePerson(caller)
    requireTry(person)
    await checkPassword(person, { password: shown.password, pointer: '/password' })
    const done = atomically(() => {
      const now = requireUnchanged(caller, person)
      if (!isCodeRight(now, shown, caller)) return undefined
      wrongTries.reset(now.id)
      return { result: act(now) }
    })
    if (done) return done.result
    countWrongCode(person)
    throw new ApiError('invalid_2fa', 'The code is wrong')
  }

  return {
    /**
     * Does something for a person who shows password and code, in the transaction that uses up the code. What `act` throws
     * undoes both.
     *
     * @throws ApiError `credential_ambiguous` for two codes, `validation_error` for a wrong password, `requires_2fa`,
     * `invalid_2fa`, `too_many_requests` after five wrong ones.
     */
    async reauthenticate<Result>(
      caller: Caller,
      shown: ShownCredentials,
      act: (person: PersonRow) => Result,
    ): Promise<Result> {
      const { totp_code, recovery_code } = readCodes(shown)
      if (totp_code !== undefined && recovery_code !== undefined) {
        throw new ApiError('credential_ambiguous', 'Send totp_code or recovery_code, not both')
      }
      return deps.inTurn(requirePerson(caller).email, () => reauthenticateOnce(caller, shown, act))
    },

    /**
     * Does something for a person who shows the password alone. What `act` throws undoes what it did.
     *
     * @throws ApiError `validation_error` for a wrong password, `too_many_requests` after five wrong ones.
     */
    reauthenticateByPassword: <Prepared, Result>(
      caller: Caller,
      shown: ShownPassword,
      { check, prepare, act }: PasswordWork<Prepared, Result>,
    ): Promise<Result> =>
      deps.inTurn(requirePerson(caller).email, async () => {
        const person = requirePerson(caller)
        requireTry(person)
        await check(person)
        await checkPassword(person, shown)
        const prepared = await prepare()
        return atomically(() => {
          const now = requireUnchanged(caller, person)
          wrongTries.reset(now.id)
          return act(now, prepared)
        })
      }),
  }
}
