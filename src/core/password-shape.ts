import { fold, isLongerThan } from './text.ts'

/** Characters of a password. */
export const PASSWORD_CHARS = { min: 10, max: 1024 } as const

/** Longest unit whose repetition makes a password trivial: `aaaaaaaaaa`, `123123123123`. */
const REPEATED_CHARS_MAX = 3

/** The owner of a password, which may be none of these. */
export interface PasswordOwner {
  email: string
  storeName?: string | undefined
}

/** Finds what the length or the form of a new password has against it. */
export function findShapeFault(password: string): 'min_length' | 'max_length' | 'repeated' | undefined {
  const text = password.normalize('NFKC')
  if (!isLongerThan(text, PASSWORD_CHARS.min - 1)) return 'min_length'
  if (isLongerThan(text, PASSWORD_CHARS.max)) return 'max_length'
  return findRepeatedPart(text.toLowerCase()).length <= REPEATED_CHARS_MAX ? 'repeated' : undefined
}

/** Whether a password is the e-mail address or the store's name, whether once or repeated. */
export function isPersonal(password: string, { email, storeName = '' }: PasswordOwner): boolean {
  const [local = ''] = email.split('@', 1)
  const names = new Set([email, local, storeName].map(keepLetters).filter((name) => name !== ''))
  return names.has(findRepeatedPart(keepLetters(password.normalize('NFKC'))))
}

/** Folds a text and keeps its letters and digits, so that spellings of one name compare equal. */
const keepLetters = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]/gu, '')

/** The shortest text whose repetition gives this one; the text itself if there is none. */
export function findRepeatedPart(text: string): string {
  // A repeated part makes the text reappear inside its double, first right after that part.
  const length = `${text}${text}`.indexOf(text, 1)
  return text.slice(0, length)
}
