import { Kind, Type, TypeRegistry } from '@sinclair/typebox'

/** A choice between the values of a list; its type is theirs. */
export const oneOf = <Value extends string>(values: readonly Value[], description?: string) =>
  Type.Unsafe<Value>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      description === undefined ? {} : { description },
    ),
  )

/** TypeBox's kind of {@link upload}. */
export const UPLOAD = 'Upload'

/** A file of a multipart body: a view of the body's bytes, so that a picture is in memory only once. */
export class UploadedFile {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get size(): number {
    return this.#bytes.length
  }

  async bytes(): Promise<Uint8Array> {
    return this.#bytes
  }
}

TypeRegistry.Set(UPLOAD, (_schema, value) => value instanceof UploadedFile)

/**
 * A file in a multipart body.
 *
 * With Elysia's own `t.File` in a schema, Elysia would accept JSON text for every object beside it, in JSON bodies too.
 */
export const upload = (description: string) =>
  Type.Unsafe<UploadedFile>({ [Kind]: UPLOAD, type: 'string', format: 'binary', description })
