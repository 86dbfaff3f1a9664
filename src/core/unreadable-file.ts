/** A file that cannot be read to its end. Whoever gave the file learns `message`, which says where and why. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
  /** The line at which reading ended, from 1; undefined when it is the file as a whole. */
  readonly line: number | undefined

  constructor(message: string, line?: number, cause?: unknown) {
    super(message, { cause })
    this.line = line
  }
}
