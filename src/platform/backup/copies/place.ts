/** Where copies lie: each install has a folder of its own there. */
export interface CopyPlace {
  /** How people call it: `s3://bucket/prefix`, or a path. */
  address: string
  /**
   * Writes a file, and returns when the place has confirmed that it keeps what was sent.
   *
   * @param bytes of the content.
   * @throws OperatorError in one sentence; the errors of `content`. Neither leaves a file of this name.
   */
  write(name: string, content: AsyncIterable<Uint8Array>, bytes: number): Promise<WrittenCopy>
  /** The names of the files of this install. */
  list(): Promise<string[]>
  remove(name: string): Promise<void>
  /** Removes what programs left that were killed while they wrote. */
  tidy(): Promise<void>
}

export interface WrittenCopy {
  bytes: number
  /** In hex. */
  sha256: string
}

/** `lookalike-20261127T001530123Z.tar.zst.age`; nothing else is ever deleted. */
const COPY_NAME = /^lookalike-\d{8}T\d{9}Z\.tar\.zst\.age$/
export const isCopyName = (name: string): boolean => COPY_NAME.test(name)
