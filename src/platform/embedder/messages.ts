import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

/** Kind of input that a process embeds. Separate processes keep a text search from waiting behind a picture. */
export type EmbedderRole = 'text' | 'vision'

/** Nothing but these properties passes: what one process sends may end in the other's database. */
const Exactly = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

const Box = Exactly({ x: Type.Number(), y: Type.Number(), width: Type.Number(), height: Type.Number() })

const Priority = Type.Union([Type.Literal('search'), Type.Literal('index')])

const EmbedRequest = Exactly({
  kind: Type.Literal('embed'),
  id: Type.Integer(),
  priority: Priority,
  /** The process does not decode a picture that takes more work than this; it answers `large` and drops it. */
  pixelsMax: Type.Integer(),
  /** Optional results, see `PictureExtras`. */
  thumbnail: Type.Optional(Type.Integer({ minimum: 16, maximum: 256 })),
  preview: Type.Optional(Type.Boolean()),
  regions: Type.Optional(Type.Boolean()),
  isOnlySeen: Type.Optional(Type.Boolean()),
  crop: Type.Optional(
    Exactly({
      ...Box.properties,
      unit: Type.Union([Type.Literal('relative'), Type.Literal('pixel')]),
      padding: Type.Optional(Type.Number()),
    }),
  ),
})
export type EmbedRequest = Static<typeof EmbedRequest>

/** To the child. The body of `embed` is the encoded picture or the text as UTF-8. A `ping` is answered at once. */
const ChildRequest = Type.Union([EmbedRequest, Exactly({ kind: Type.Literal('ping') })])
export type ChildRequest = Static<typeof ChildRequest>

/** Error codes for pictures that the decoder refuses. */
export const PictureRefusal = Type.Union([
  Type.Literal('image_unsupported_format'),
  Type.Literal('image_unreadable'),
  Type.Literal('image_too_small'),
  Type.Literal('image_too_large'),
  Type.Literal('crop_too_small'),
])
export type PictureRefusal = Static<typeof PictureRefusal>

const Facts = Exactly({
  width: Type.Integer(),
  height: Type.Integer(),
  contentType: Type.String(),
  phash: Type.String(),
  palette: Type.Array(Exactly({ hex: Type.String(), share: Type.Number() }), { maxItems: 5 }),
  object: Type.Union([Box, Type.Null()]),
  regions: Type.Optional(Type.Array(Exactly({ box: Box, score: Type.Number() }), { maxItems: 5 })),
})

/** Longest preview, in bytes: noise of 768 x 768 pixels takes 420,000. */
export const PREVIEW_BYTES_MAX = 512 * 1024
/** Longest thumbnail: noise of 256 x 256 pixels takes 40,000. */
export const THUMBNAIL_BYTES_MAX = 64 * 1024

/**
 * From the child. `embedded` has the vector as little-endian float32 in its body, unless the picture was only to be seen. The self-test reports once, before
 * any other reply, with `ready` or `failed`.
 */
const EmbedReply = Type.Union([
  Exactly({
    kind: Type.Literal('ready'),
    /** Milliseconds from the start of the process. */
    readyMs: Type.Number(),
    /** Lowest cosine of the self-test, or null when it was skipped. */
    worstCosine: Type.Union([Type.Number(), Type.Null()]),
  }),
  Exactly({ kind: Type.Literal('failed'), reason: Type.String() }),
  Exactly({ kind: Type.Literal('pong') }),
  /** The task starts now. While it waited in the process it could not cause a crash. */
  Exactly({ kind: Type.Literal('begun'), id: Type.Integer() }),
  Exactly({ kind: Type.Literal('large'), id: Type.Integer(), pixels: Type.Integer() }),
  Exactly({
    kind: Type.Literal('embedded'),
    id: Type.Integer(),
    facts: Type.Optional(Facts),
    /** The box that was embedded, if a crop was asked for. */
    crop: Type.Optional(Box),
    /** The bytes of the body behind the vector. */
    thumbnailBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: THUMBNAIL_BYTES_MAX })),
    /** The bytes of the body behind the thumbnail. */
    previewBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: PREVIEW_BYTES_MAX })),
    isTruncated: Type.Optional(Type.Boolean()),
    unknownShare: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    unknownWords: Type.Optional(Type.Array(Type.String())),
    doubtfulWords: Type.Optional(Type.Array(Type.String())),
    words: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  Exactly({
    kind: Type.Literal('refused'),
    id: Type.Integer(),
    code: Type.Union([PictureRefusal, Type.Literal('internal_error')]),
    message: Type.String(),
    details: Type.Record(Type.String(), Type.Unknown()),
  }),
])
export type EmbedReply = Static<typeof EmbedReply>

/** Compiled, because a check that walks the schema takes longer than all else that the service does with a message. */
function createReader<Schema extends TSchema>(schema: Schema): (head: unknown) => Static<Schema> {
  const compiled = TypeCompiler.Compile(schema)
  return (head) => {
    if (compiled.Check(head)) return head
    throw new Error('A message between the processes has an unknown form')
  }
}

/** @throws Error for anything but a request. */
export const readRequest = createReader(ChildRequest)
/** @throws Error for anything but a reply. */
export const readReply = createReader(EmbedReply)
