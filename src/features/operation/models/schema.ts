import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'

const NAME_CHARS_MAX = 64

const StringOrNull = t.Union([t.String(), t.Null()])
const IntegerOrNull = t.Union([Type.Integer(), t.Null()])

const modelName = text({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: 'As `GET /v1/admin/models` lists it. Neither a path nor an address.',
  examples: ['clip-vit-base-patch32'],
})

export const ModelBody = named('ModelChoice', t.Object({ name: modelName }), {
  name: 'clip-vit-base-patch32',
})
export type ModelBody = typeof ModelBody.static

export const ModelParams = t.Object({ name: modelName })

export const ReindexBody = named(
  'ReindexInput',
  t.Object({
    store: t.Optional(
      text({ minLength: 1, maxLength: 200, description: 'The slug of one store; without it all stores.' }),
    ),
  }),
  { store: 'my-shop' },
)
export type ReindexBody = typeof ReindexBody.static

/** A move of the catalogue to another model, or to the same one again. */
export const ModelMove = named(
  'ModelMove',
  t.Object({
    id: t.String(),
    kind: oneOf(
      ['use', 'back', 'reindex'] as const,
      '`use`: to another model; `back`: to the former one; `reindex`: everything again with the same one.',
    ),
    from: t.String(),
    to: t.String(),
    state: oneOf(['running', 'done', 'cancelled', 'failed'] as const),
    stores: Type.Integer(),
    stores_done: Type.Integer({ description: 'Stores whose searches answer with the new vectors.' }),
    products: Type.Integer(),
    products_done: Type.Integer({ description: 'Products that have their new vectors.' }),
    failed: Type.Integer({
      description: 'Products whose picture cannot be had again; searches by words go on finding them.',
    }),
    failures: t.Array(t.Object({ store: t.String(), product_id: t.String(), code: t.String() }), {
      description: 'At most 20 of them, with the slug of the store and an error code.',
    }),
    eta_seconds: t.Union([t.Number(), t.Null()], {
      description: 'Time left at the pace of the last minutes; null while it is not known.',
    }),
    is_returning: t.Boolean({
      description: 'Whether it was cancelled, and the stores that had switched go back.',
    }),
    problem: t.Union([t.String(), t.Null()], { description: 'Why nothing goes on at the moment.' }),
    started_at: Moment,
    finished_at: MomentOrNull,
  }),
)
export type ModelMove = typeof ModelMove.static

/** A download of a model. */
export const ModelFetch = named(
  'ModelFetch',
  t.Object({
    job_id: t.String(),
    name: t.String(),
    state: oneOf(
      ['running', 'done', 'cancelled', 'failed'] as const,
      'What one that was cancelled or failed has loaded stays, and the next one goes on there.',
    ),
    step: t.Union([oneOf(['download', 'copy', 'load', 'measure', 'fit'] as const), t.Null()], {
      description: 'What a running one does: after the download the model is tried. Otherwise null.',
    }),
    bytes: Type.Integer({ description: 'Loaded so far.' }),
    bytes_total: Type.Integer(),
    error: t.Union([t.String(), t.Null()], { description: 'Why it failed, in words for the operator.' }),
    started_at: Moment,
    finished_at: MomentOrNull,
  }),
)
export type ModelFetch = typeof ModelFetch.static

export const ModelFetchStarted = named('ModelFetchStarted', t.Object({ job_id: t.String() }))
export type ModelFetchStarted = typeof ModelFetchStarted.static

export const ModelConfirmed = named(
  'ModelConfirmed',
  t.Object({ status: t.Literal('confirmed'), in_use: t.String() }),
)

export const ModelRemoved = named(
  'ModelRemoved',
  t.Object({ status: t.Literal('removed'), name: t.String() }),
)

/** A model that is here, or that could be fetched. */
export const AdminModel = named(
  'AdminModel',
  t.Object({
    name: t.String(),
    state: oneOf(
      ['in_use', 'here', 'known', 'broken'] as const,
      '`here`: ready to be used; `known`: can be fetched; `broken`: its folder cannot be used, as `problem` says.',
    ),
    is_bundled: t.Boolean({ description: 'Whether it is part of the executable.' }),
    family: StringOrNull,
    dimension: IntegerOrNull,
    bytes: t.Union([Type.Integer(), t.Null()], { description: 'On the disk.' }),
    license: StringOrNull,
    suits: t.Union([t.String(), t.Null()], { description: 'Whom it suits, in one line.' }),
    languages: t.Union([t.Array(t.String()), t.Null()], {
      description: 'Languages that it understands, as codes; null where nobody has said so.',
    }),
    status: t.Union([oneOf(['confirmed', 'unconfirmed'] as const), t.Null()], {
      description:
        'Whether the hashes of its files were confirmed; an `unconfirmed` one is fetched at the command line alone. null for a model that is not of our list.',
    }),
    memory_bytes: t.Union([Type.Integer(), t.Null()], {
      description: 'Of its processes, about; null where nobody has measured it, as in the next two.',
    }),
    picture_ms: t.Union([t.Number(), t.Null()], { description: 'Time for one picture on two cores, about.' }),
    text_ms: t.Union([t.Number(), t.Null()], { description: 'Time for one text on two cores, about.' }),
    problem: StringOrNull,
  }),
)
export type AdminModel = typeof AdminModel.static

/** GET /v1/admin/models. */
export const AdminModels = named(
  'AdminModels',
  t.Object({
    in_use: t.String({ description: 'The model of all stores outside a move.' }),
    models: t.Array(AdminModel, { description: 'The one in use first, then those that are here.' }),
    move: t.Union([ModelMove, t.Null()], { description: 'The running move, or the last one.' }),
    former: t.Union([t.Object({ name: t.String(), until: Moment }), t.Null()], {
      description: 'The model to go back to, and until when; null without one.',
    }),
    fetch: t.Union([ModelFetch, t.Null()], { description: 'The running download, or the last one.' }),
    model_dir_set: t.Boolean({
      description: 'Whether `MODEL_DIR` chooses the model; nothing here can then.',
    }),
    is_offline: t.Boolean({ description: 'Whether `OFFLINE` forbids downloads.' }),
    pictures: Type.Integer({
      description: 'Pictures of all stores, which a move embeds; counted at most once a minute.',
    }),
  }),
)
export type AdminModels = typeof AdminModels.static
