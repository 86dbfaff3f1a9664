import { LIMITS } from '../../../core/limits.ts'
import { fold, isLongerThan } from '../../../core/text.ts'
import type { Problem } from '../../../http/validation.ts'

const { passwordCharsMin, passwordCharsMax } = LIMITS

/** A text of up to so many characters over and over is no secret: `aaaaaaaaaa`, `123123123123`. */
const REPEATED_CHARS_MAX = 3

export interface PasswordRuleDeps {
  /** @param password in lower case. */
  isCommonPassword(password: string): Promise<boolean>
}

/** Whose password it is: nothing of it may be the password. */
export interface PasswordOwner {
  email: string
  storeName?: string | undefined
}

export type PasswordRule = ReturnType<typeof passwordRule>

/**
 * What a new password must be (NIST SP 800-63B §5.1.1.2): 10 to 1,024 characters, none of those that everybody tries,
 * and neither the address nor the store, once or several times over. Any characters will do, and none are asked for.
 */
export function passwordRule({ isCommonPassword }: PasswordRuleDeps) {
  async function faultOf(password: string, { email, storeName = '' }: PasswordOwner) {
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

  return {
    /**
     * What is wrong with a new password, in words that do not repeat it; undefined for a good one.
     *
     * @param pointer the field of the body that holds it.
     */
    async problemOf(
      password: string,
      owner: PasswordOwner,
      pointer = '/password',
    ): Promise<Problem | undefined> {
      const fault = await faultOf(password, owner)
      return fault && { in: 'body', pointer, ...fault }
    },
  }
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
