const PLAIN = /^[\w@%+=:,./-]+$/

/** Writes a word as a shell reads it. */
export const quote = (word: string): string =>
  PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** The line of the command line that does the same. */
export const commandOf = (...words: readonly string[]): string => ['lookalike', ...words].map(quote).join(' ')
