import { type Static, Type } from '@sinclair/typebox'

/** Kind of input that a process embeds. Separate processes keep a text search from waiting behind a picture. */
export type EmbedderRole = 'text' | 'vision'

const Priority = Type.Union([Type.Literal('search'), Type.Literal('index')])

const EmbedRequest = Type.Object({
  kind: Type.Literal('embed'),
  id: Type.Integer(),
  priority: Priority,
  /** The process does not decode a picture that takes more work than this; it answers `large` and drops it. */
  pixelsMax: Type.Integer(),
})
export type EmbedRequest = Static<typeof EmbedRequest>

/** To the child. The body of `embed` is the encoded picture or the text as UTF-8. A `ping` is answered at once. */
export const ChildRequest = Type.Union([EmbedRequest, Type.Object({ kind: Type.Literal('ping') })])
export type ChildRequest = Static<typeof ChildRequest>

/** Error codes for pictures that the decoder refuses. */
export const PictureRefusal = Type.Union([
  Type.Literal('image_unsupported_format'),
  Type.Literal('image_unreadable'),
  Type.Literal('image_too_small'),
  Type.Literal('image_too_large'),
])
export type PictureRefusal = Static<typeof PictureRefusal>

const Facts = Type.Object({
  width: Type.Integer(),
  height: Type.Integer(),
  contentType: Type.String(),
  phash: Type.String(),
  palette: Type.Array(Type.Object({ hex: Type.String(), share: Type.Number() }), { maxItems: 5 }),
})

/**
 * From the child. `embedded` has the vector as little-endian float32 in its body. The self-test reports once, before
 * any other reply, with `ready` or `failed`.
 */
export const EmbedReply = Type.Union([
  Type.Object({
    kind: Type.Literal('ready'),
    /** Milliseconds from the start of the process. */
    readyMs: Type.Number(),
    /** Lowest cosine of the self-test, or null when it was skipped. */
    worstCosine: Type.Union([Type.Number(), Type.Null()]),
  }),
  Type.Object({ kind: Type.Literal('failed'), reason: Type.String() }),
  Type.Object({ kind: Type.Literal('pong') }),
  /** The task starts now. While it waited in the process it could not cause a crash. */
  Type.Object({ kind: Type.Literal('begun'), id: Type.Integer() }),
  Type.Object({ kind: Type.Literal('large'), id: Type.Integer(), pixels: Type.Integer() }),
  Type.Object({
    kind: Type.Literal('embedded'),
    id: Type.Integer(),
    facts: Type.Optional(Facts),
    isTruncated: Type.Optional(Type.Boolean()),
    isUnknown: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    kind: Type.Literal('refused'),
    id: Type.Integer(),
    code: Type.Union([PictureRefusal, Type.Literal('internal_error')]),
    message: Type.String(),
    details: Type.Record(Type.String(), Type.Unknown()),
  }),
])
export type EmbedReply = Static<typeof EmbedReply>
