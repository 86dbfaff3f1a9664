import { language } from '../../../language.ts'
import { inLargestUnit } from './amounts.ts'

/** A time in words, such as "12 minutes". */
export function formatDuration(seconds: number): string {
  const [value, unit] = inLargestUnit(seconds)
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

const NAMES = new Intl.DisplayNames([language], { type: 'language' })
const LIST = new Intl.ListFormat(language, { style: 'long', type: 'conjunction' })

/** Languages by their names. What is no code of a language stays as it is. */
export const formatLanguages = (codes: readonly string[]): string =>
  LIST.format(
    codes.map((code) => {
      try {
        return NAMES.of(code) ?? code
      } catch {
        return code
      }
    }),
  )
