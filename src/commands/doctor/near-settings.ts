import { distance } from 'fastest-levenshtein'
import { SETTING_NAMES } from '../../config.ts'
import { unpackDirVariable } from '../../platform/native/unpack-base.ts'

/** From this length on, two wrong letters still leave no doubt. */
const LONG_CHARS = 8

/** Longer names are nobody's misspelling. */
const NAME_CHARS_MAX = 40

const KNOWN: ReadonlySet<string> = new Set([
  ...SETTING_NAMES,
  ...SETTING_NAMES.map((name) => `${name}_FILE`),
  unpackDirVariable,
])

/** A variable that no setting reads, although its name is nearly that of one. */
export interface NearSetting {
  given: string
  meant: string
}

/** Finds the variables of an environment that are probably misspelt settings. It looks at names, never at values. */
export const findNearSettings = (names: readonly string[]): NearSetting[] =>
  names
    .filter((name) => name.length <= NAME_CHARS_MAX && /^[A-Za-z]\w*$/.test(name) && !KNOWN.has(name))
    .flatMap((given) => {
      const meant = SETTING_NAMES.find((setting) => isNear(given, setting))
      return meant === undefined ? [] : [{ given, meant }]
    })
    .sort((a, b) => (a.given < b.given ? -1 : 1))

function isNear(given: string, setting: string): boolean {
  const [name, wanted] = [given.toUpperCase().replace(/^LOOKALIKE_/, ''), setting].map((text) =>
    text.replaceAll('_', ''),
  ) as [string, string]
  if (name === wanted) return true
  // Two letters in the wrong order are two edits, also in a short name such as PROT.
  if (sortLetters(name) === sortLetters(wanted) && name[0] === wanted[0]) return true
  return distance(name, wanted) <= (wanted.length >= LONG_CHARS ? 2 : 1)
}

const sortLetters = (text: string): string => [...text].sort().join('')
