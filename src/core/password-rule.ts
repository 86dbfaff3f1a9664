import { isCommonPassword } from './common-passwords.ts'
import { LIMITS } from './limits.ts'
import type { Problem } from './problem.ts'
import { fold, isLongerThan } from './text.ts'

const { passwordCharsMin, passwordCharsMax } = LIMITS

/** Longest unit whose repetition makes a password trivial: `aaaaaaaaaa`, `123123123123`. */
const REPEATED_CHARS_MAX = 3

/** The owner of a password, which may be none of these. */
export interface PasswordOwner {
  email: string
  storeName?: string | undefined
}

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
  const fault = await findFault(password, owner)
  return fault && { in: 'body', pointer, ...fault }
}

async function findFault(password: string, { email, storeName = '' }: PasswordOwner) {
  const text = password.normalize('NFKC')
  if (!isLongerThan(text, passwordCharsMin - 1)) return FAULTS.min_length
  if (isLongerThan(text, passwordCharsMax)) return FAULTS.max_length
  const lower = text.toLowerCase()
  const unit = findRepeatedPart(lower)
  if (unit.length <= REPEATED_CHARS_MAX) return FAULTS.repeated
  if ((await isCommonPassword(lower)) || (await isCommonPassword(unit))) return FAULTS.common
  const [local = ''] = email.split('@', 1)
  const names = new Set([email, local, storeName].map(keepLetters).filter((name) => name !== ''))
  return names.has(findRepeatedPart(keepLetters(text))) ? FAULTS.personal : undefined
}

const FAULTS = {
  min_length: { code: 'min_length', message: `must have at least ${passwordCharsMin} characters` },
  max_length: { code: 'max_length', message: `must have at most ${passwordCharsMax} characters` },
  repeated: { code: 'repeated', message: 'must not repeat the same few characters' },
  common: { code: 'common', message: 'is one of the most used passwords; choose another' },
  personal: { code: 'personal', message: 'must not be the e-mail address or the name of the store' },
} as const

/** Folds a text and keeps its letters and digits, so that spellings of one name compare equal. */
const keepLetters = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]/gu, '')

/** The shortest text whose repetition gives this one; the text itself if there is none. */
function findRepeatedPart(text: string): string {
  // A repeated part makes the text reappear inside its double, first right after that part.
  const length = `${text}${text}`.indexOf(text, 1)
  return text.slice(0, length)
}
