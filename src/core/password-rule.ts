import { isCommonPassword } from './common-passwords.ts'
import {
  findRepeatedPart,
  findShapeFault,
  isPersonal,
  PASSWORD_CHARS,
  type PasswordOwner,
} from './password-shape.ts'
import type { Problem } from './problem.ts'

/**
 * Checks a new password (NIST SP 800-63B §5.1.1.2). It has 10 to 1,024 characters of any kind. It is not a common
 * password, the e-mail address or the store's name, whether once or repeated.
 *
 * @param pointer the field of the body that holds the password.
 * @returns the problem, with a message that does not repeat the password; undefined for a valid password.
 */
export async function findPasswordProblem(
  password: string,
  owner: PasswordOwner,
  pointer = '/password',
): Promise<Problem | undefined> {
  const code = await findFault(password, owner)
  return code && { in: 'body', pointer, code, message: MESSAGES[code] }
}

async function findFault(password: string, owner: PasswordOwner): Promise<keyof typeof MESSAGES | undefined> {
  const fault = findShapeFault(password)
  if (fault) return fault
  const lower = password.normalize('NFKC').toLowerCase()
  if ((await isCommonPassword(lower)) || (await isCommonPassword(findRepeatedPart(lower)))) return 'common'
  return isPersonal(password, owner) ? 'personal' : undefined
}

const MESSAGES = {
  min_length: `must have at least ${PASSWORD_CHARS.min} characters`,
  max_length: `must have at most ${PASSWORD_CHARS.max} characters`,
  repeated: 'must not repeat the same few characters',
  common: 'is one of the most used passwords; choose another',
  personal: 'must not be the e-mail address or the name of the store',
} as const
