/** The exit code of a command that fails, by the kind of failure. */
const EXIT_CODES = {
  /** The command was right and did not succeed. */
  failed: 1,
  /** A setting or argument can never work, whatever the install contains. */
  wrong_input: 2,
  /** The command line is malformed; its help text says how to write it. */
  wrong_usage: 2,
} as const

export type OperatorErrorKind = keyof typeof EXIT_CODES

/** An expected failure, told to the operator of the command line in its own words and without a stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly kind: OperatorErrorKind

  constructor(message: string, kind: OperatorErrorKind = 'failed') {
    super(message)
    this.kind = kind
  }

  /** The exit code of the command. */
  get exitCode(): number {
    return EXIT_CODES[this.kind]
  }
}

export const wrongInput = (message: string) => new OperatorError(message, 'wrong_input')
export const wrongUsage = (message: string) => new OperatorError(message, 'wrong_usage')
export const wrongSettings = (problems: readonly string[]) =>
  wrongInput(`Bad settings:\n  ${problems.join('\n  ')}`)
