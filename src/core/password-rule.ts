import type { Problem } from '../http/validation.ts'
import { isCommonPassword } from './common-passwords.ts'
import { LIMITS } from './limits.ts'
import { fold, isLongerThan } from './text.ts'

const { passwordCharsMin, passwordCharsMax } = LIMITS

/** A text of up to so many characters over and over is no secret: `aaaaaaaaaa`, `123123123123`. */
const REPEATED_CHARS_MAX = 3

/** Whose password it is: nothing of it may be the password. */
export interface PasswordOwner {
  email: string
  storeName?: string | undefined
}

/**
 * Finds the fault of a new password (NIST SP 800-63B §5.1.1.2): 10 to 1,024 characters, none of the passwords that
 * everyone tries, and neither the e-mail address nor the store's name, once or repeated. Any characters will do.
 *
 * @param pointer the field of the body that holds the password.
 * @returns the problem, in words that do not repeat the password; undefined for a good password.
 */
export async function findPasswordProblem(
  password: string,
  owner: PasswordOwner,
  pointer = '/password',
): Promise<Problem | undefined> {
  const fault = await findFault(password, owner)
  return fault && { in: 'body', pointer, ...fault }
}

async function findFault(password: string, { email, storeName = '' }: PasswordOwner) {
  const text = password.normalize('NFKC')
  if (!isLongerThan(text, passwordCharsMin - 1)) return FAULTS.min_length
  if (isLongerThan(text, passwordCharsMax)) return FAULTS.max_length
  const lower = text.toLowerCase()
  const unit = repeatedPart(lower)
  if (unit.length <= REPEATED_CHARS_MAX) return FAULTS.repeated
  if ((await isCommonPassword(lower)) || (await isCommonPassword(unit))) return FAULTS.common
  const [local = ''] = email.split('@', 1)
  const names = new Set([email, local, storeName].map(lettersOf).filter((name) => name !== ''))
  return names.has(repeatedPart(lettersOf(text))) ? FAULTS.personal : undefined
}

const FAULTS = {
  min_length: { code: 'min_length', message: `must have at least ${passwordCharsMin} characters` },
  max_length: { code: 'max_length', message: `must have at most ${passwordCharsMax} characters` },
  repeated: { code: 'repeated', message: 'must not be a few characters over and over' },
  common: { code: 'common', message: 'is one of the most used passwords; choose another' },
  personal: { code: 'personal', message: 'must not be the e-mail address or the name of the store' },
} as const

/** Letters and digits alone, folded: what is left of a name however it is written. */
const lettersOf = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]/gu, '')

/** The shortest text that, several times over, gives this one; the text itself if there is none. */
function repeatedPart(text: string): string {
  // A text that is made of one part comes again inside its double, first after that part.
  const length = `${text}${text}`.indexOf(text, 1)
  return text.slice(0, length)
}
