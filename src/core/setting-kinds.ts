import { type TString, Type } from '@sinclair/typebox'

export const text = (description: string, value = '') => Type.String({ default: value, description })
/** A text that must be one of some words. */
interface Choice<Word extends string> extends TString {
  static: Word
}

export const choice = <const Word extends string>(
  words: readonly Word[],
  preset: NoInfer<Word>,
  description: string,
): Choice<Word> =>
  Type.String({
    default: preset,
    pattern: `^(${words.join('|')})$`,
    must: `be one of ${words.filter((word) => word !== '').join(', ')}`,
    description,
  }) as Choice<Word>

/** Lists words as descriptions do. */
export const list = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')

/** A whole number. @param describe gets its bounds, as in `1 to 64`. */
export const integer = (
  { preset, minimum, maximum }: { preset: number; minimum: number; maximum: number },
  describe: (bounds: string) => string,
) =>
  Type.Integer({
    default: preset,
    minimum,
    maximum,
    must: `be a whole number from ${minimum} to ${maximum}`,
    description: describe(`${minimum} to ${maximum}`),
  })

export const flag = (description: string) => Type.Boolean({ default: false, must: 'be 1 or 0', description })

/**
 * Patterns of setting values that are secret. `loadConfig` ignores them; commands warn when a flag holds such a value.
 */
export const SECRET = { always: '.', withPassword: '//[^/]*:[^/]*@', never: '(?!)' } as const
