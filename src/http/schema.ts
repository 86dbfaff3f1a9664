import { Kind, Type, TypeRegistry } from '@sinclair/typebox'
import { t } from 'elysia'

/** Spec §7, with the details that our own codes carry. */
export const ErrorBody = t.Object(
  {
    error: t.String({ description: 'Stable code; `/errors/<code>` explains it.' }),
    message: t.String({ description: 'For people; may change.' }),
    details: t.Optional(t.Record(t.String(), t.Unknown())),
    replacement: t.Optional(t.String({ description: 'Path that took over a retired one.' })),
  },
  { $id: '#/components/schemas/Error' },
)

const answers = new WeakSet<object>()

function described(description: string) {
  const schema = t.Object(ErrorBody.properties, { description })
  answers.add(schema)
  return schema
}

/** Whether a response schema is one of {@link failure}'s. */
export const isFailure = (schema: object): boolean => answers.has(schema)

/** What any signed-in route may answer besides its own success. */
export const signedInErrors = {
  400: described('`credential_ambiguous`'),
  401: described('`unauthorized`, `token_expired`, `api_key_expired`, `active_tenant_required`'),
  403: described('`permission_denied`, `not_a_member`, `ip_not_allowed`'),
  429: described('`rate_limit_exceeded`: wait for `Retry-After` seconds'),
  500: described('`internal_error`'),
  503: described('`storage_failed`, and when it writes `overloaded`, `storage_full`, `read_only`'),
}

/** What a route with a body may answer besides. */
export const bodyErrors = {
  400: described('`invalid_json`, `invalid_request`, `credential_ambiguous`'),
  413: described('`payload_too_large`, `image_too_large`'),
  415: described('`unsupported_media_type`'),
  422: described('`validation_error` and the codes of pictures'),
  503: described('`overloaded`, `model_not_ready`, `storage_full`, `storage_failed`, `read_only`'),
}

/** What a route without a body may answer when it writes. */
export const storageErrors = { 503: described('`overloaded`, `storage_full`, `storage_failed`, `read_only`') }

/** One error answer with its codes, for routes that list their own. */
export const failure = described

/** A choice whose type survives that its values come from a list. */
export const oneOf = <Value extends string>(values: readonly Value[], description?: string) =>
  Type.Unsafe<Value>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      description === undefined ? {} : { description },
    ),
  )

/** Name of {@link upload}'s kind among TypeBox's. */
export const UPLOAD = 'Upload'

/** A file of a multipart body: a view of the body's own bytes, so that a picture is in memory once. */
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
 * Elysia's own `t.File` would make it take JSON text for every object of the schema beside it, in JSON bodies too.
 */
export const upload = (description: string) =>
  Type.Unsafe<UploadedFile>({ [Kind]: UPLOAD, type: 'string', format: 'binary', description })
