const PLAIN = /^[\w@%+=:,./-]+$/

/** Writes a word as a shell reads it. */
const quote = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

type Options = Readonly<Record<string, string | true>>

const writeOption = ([name, value]: [string, string | true]): string => {
  if (value === true) return `--${name}`
  return value.startsWith('-') ? `--${name}=${quote(value)}` : `--${name} ${quote(value)}`
}

/**
 * The line of the command line that does the same. A name that somebody chose may begin with a dash, and is not read as an option:
 * a value is joined to its option then, and other words stand behind `--`.
 */
export function commandOf(command: string, words: readonly string[] = [], options: Options = {}): string {
  const given = Object.entries(options).map(writeOption)
  const others = words.map(quote)
  const line = words.some((word) => word.startsWith('-'))
    ? [...given, '--', ...others]
    : [...others, ...given]
  return ['lookalike', command, ...line].join(' ')
}
