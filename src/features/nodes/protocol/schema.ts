import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'

/** Where nodes talk to each other. */
export const NODE_PREFIX = '/v1/node'
export const MOVES_PATH = `${NODE_PREFIX}/moves`
export const SECRETS_PATH = `${NODE_PREFIX}/secrets`

/** The body of one request with rows, as it is sent and, packed with zstd, as it is unpacked. */
export const ROWS_BYTES_MAX = 4 * 1024 * 1024
/** One row may be longer: the picture of a search check, and a product with many pictures. */
export const ROWS_UNPACKED_BYTES_MAX = 8 * ROWS_BYTES_MAX
export const ROWS_TYPE = 'application/x-ndjson'
/** Hashes that one request asks about. */
export const HASHES_MAX = 500

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
const SHA256 = '^[0-9a-f]{64}$'

export const MoveParams = t.Object({ id: t.String() })
export const PictureParams = t.Object({ id: t.String(), hash: text({ pattern: SHA256 }) })
export const RowsQuery = t.Object({
  batch: t.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Grows from one request to the next. One that is not higher than the last is not applied.',
  }),
})

/** A model of the source, by which the store's vectors were made. */
const AnnouncedModel = t.Object(
  {
    id: text({ minLength: 1, maxLength: 200 }),
    hash: text({ minLength: 1, maxLength: 200 }),
    dimension: Type.Integer({ minimum: 1, maximum: 8192 }),
  },
  { additionalProperties: false },
)

const AnnouncedStore = t.Object(
  {
    id: text({ pattern: UUID }),
    slug: text({ minLength: 1, maxLength: 100 }),
    name: text({ minLength: 1, maxLength: 200 }),
    plan: text({ minLength: 1, maxLength: 50 }),
    products: Type.Integer({ minimum: 0, maximum: 1e9 }),
    bytes: Type.Integer({ minimum: 0, maximum: 1e15, description: 'Of its pictures and its rows.' }),
    models: t.Array(AnnouncedModel, { maxItems: 16 }),
  },
  { additionalProperties: false },
)

/** What the source says of itself and of the store. */
export const ArrivingMoveInput = named(
  'ArrivingMoveInput',
  t.Object(
    {
      code: text({ minLength: 1, maxLength: 100, description: 'The secret of the code, in base32.' }),
      version: text({ minLength: 1, maxLength: 100 }),
      schema: Type.Integer({ minimum: 1, maximum: 1e6, description: 'Of its database.' }),
      from: t.Union([text({ minLength: 1, maxLength: 2_000 }), t.Null()], {
        description: 'Public address of the source.',
      }),
      store: AnnouncedStore,
    },
    { additionalProperties: false },
  ),
  {
    code: '0123456789ABCDEF',
    version: '0.1.0',
    schema: 64,
    from: 'https://node-1.example.com',
    store: {
      id: '0192a3b4-c5d6-7e8f-9012-3456789abcde',
      slug: 'my-shop',
      name: 'My shop',
      plan: 'pro',
      products: 1200,
      bytes: 34_000_000,
      models: [],
    },
  },
)
export type ArrivingMoveInput = typeof ArrivingMoveInput.static

export const ArrivingMoveBegun = named(
  'ArrivingMoveBegun',
  t.Object({
    move_id: t.String(),
    token: t.String({ description: 'Bearer token of every later call.' }),
    url: t.String({ description: 'Where the store will be served.' }),
    version: t.String(),
    schema: Type.Integer(),
    reembeds: t.Boolean({
      description: 'Whether this node has another model, and makes the vectors anew once the store is open.',
    }),
    reembed_seconds: t.Union([Type.Integer(), t.Null()], {
      description: 'About how long that takes; null where it is not needed, or not known.',
    }),
    free_bytes: Type.Integer(),
  }),
)
export type ArrivingMoveBegun = typeof ArrivingMoveBegun.static

const ARRIVING_STATES = ['arriving', 'open', 'abandoned'] as const
const MoveState = oneOf(
  ARRIVING_STATES,
  '`open`: the store is served here, and nowhere else. `abandoned`: it never will be.',
)

export const ArrivingMove = named(
  'ArrivingMove',
  t.Object({
    state: MoveState,
    last_batch: Type.Integer(),
    products: Type.Integer(),
    pictures: Type.Integer({ description: 'Picture files that came.' }),
  }),
)
export type ArrivingMove = typeof ArrivingMove.static

export const RowsApplied = named('RowsApplied', t.Object({ last_batch: Type.Integer() }))
export const PictureHashes = named(
  'PictureHashes',
  t.Object(
    { hashes: t.Array(text({ pattern: SHA256 }), { maxItems: HASHES_MAX }) },
    { additionalProperties: false },
  ),
  { hashes: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] },
)
export const MissingPictures = named('MissingPictures', t.Object({ missing: t.Array(t.String()) }))
export const PictureStored = named('PictureStored', t.Object({ status: t.Literal('stored') }))
export const IndexState = named('IndexState', t.Object({ is_loaded: t.Boolean() }))
export const MoveDigest = named(
  'MoveDigest',
  t.Object({ tables: t.Record(t.String(), t.Object({ rows: Type.Integer(), sum: t.String() })) }),
)

/** One search of a store that is not open yet. */
export const ProofSearch = named(
  'ProofSearch',
  t.Object(
    {
      query: t.Optional(text({ minLength: 1, maxLength: 1_000 })),
      product_id: t.Optional(text({ minLength: 1, maxLength: 1_000 })),
      limit: Type.Integer({ minimum: 1, maximum: 100 }),
    },
    { additionalProperties: false },
  ),
  { query: 'red lamp', limit: 10 },
)
export type ProofSearch = typeof ProofSearch.static
export const ProofHits = named(
  'ProofHits',
  t.Object({ results: t.Array(t.Object({ product_id: t.String(), similarity_score: t.Number() })) }),
)
export const MoveOpened = named('MoveOpened', t.Object({ state: t.Literal('open'), url: t.String() }))
export const MoveAbandoned = named('MoveAbandoned', t.Object({ state: t.Literal('abandoned') }))

/** The files of `secrets/`, for a standby that shows a code made for it. */
export const SecretsInput = named(
  'NodeSecretsInput',
  t.Object(
    { code: text({ minLength: 1, maxLength: 100, description: 'The secret of the code, in base32.' }) },
    { additionalProperties: false },
  ),
  { code: '0123456789ABCDEF' },
)
export const NodeSecrets = named(
  'NodeSecrets',
  t.Object({
    version: t.String(),
    files: t.Array(t.Object({ name: t.String(), base64: t.String() })),
  }),
)
export type NodeSecrets = typeof NodeSecrets.static
