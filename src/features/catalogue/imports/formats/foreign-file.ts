import { pictureType } from '../../../../core/picture-type.ts'
import { UnreadableFile } from '../../../../core/unreadable-file.ts'

/** A file of another kind, told by its content. */
export class ForeignFile extends UnreadableFile {
  override name = 'ForeignFile'
  /** Such as `image/jpeg`. */
  readonly kind: string

  constructor(kind: string) {
    super(`The file is ${kind}, and not a table of products. ${CURE}`)
    this.kind = kind
  }
}

/** Describes an address that answered with such a file. */
export const describeAnswer = ({ kind }: ForeignFile): string =>
  `This address answered ${kind}, and not a table of products. ${CURE}`

const CURE = 'Products come as CSV, TSV, NDJSON or XML, also packed with gzip or zip'

/** First bytes in hexadecimal, by what has them. */
const SIGNS: readonly (readonly [string, string])[] = [
  ['25504446', 'application/pdf'],
  ['d0cf11e0', 'an old Excel or Word file'],
]

/** Recognises a file that is not text. @param head its first {@link MAGIC_BYTES}. */
export const findForeignKind = (head: Uint8Array): string | undefined =>
  pictureType(head) ??
  SIGNS.find(([sign]) => Buffer.from(head.subarray(0, sign.length / 2)).toString('hex') === sign)?.[1]
