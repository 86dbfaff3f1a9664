import { type TSchema, Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { bytesBody, jsonBody, noBody } from '../../../http/body.ts'
import { readCredential } from '../../../http/credential.ts'
import { failures, JSON_BODY, READING, WITH_NODE_CODE, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { demandSecure, type NodeDoor } from '../../../http/node-door.ts'
import {
  ArrivingMove,
  ArrivingMoveBegun,
  ArrivingMoveInput,
  IndexState,
  MissingPictures,
  MOVES_PATH,
  MoveAbandoned,
  MoveDigest,
  MoveOpened,
  MoveParams,
  PictureHashes,
  PictureParams,
  PictureStored,
  ProofHits,
  ProofSearch,
  ROWS_TYPE,
  ROWS_UNPACKED_BYTES_MAX,
  RowsApplied,
  RowsQuery,
} from '../protocol/schema.ts'
import type { ArrivalsService } from './service.ts'

/** A list of hashes as long as it may be. */
const LIST_BYTES_MAX = 64 * 1024
const BYTES_TYPE = 'application/octet-stream'
/** The body of a route that takes bytes. */
const Bytes: TSchema = t.Object({ bytes: Type.Any() })

const OVER = [
  'conflict',
  'The store is open here already, or the move was given up; the message says which.',
] as const
const WITH_TOKEN = [
  'credential_ambiguous',
  ['unauthorized', 'The token is not that of the move.'],
  'tls_required',
  'invalid_request',
  'validation_error',
] as const

/** Contract 8.19: the routes by which another node sends a store. */
export const arrivalRoutes = (
  { forAnyone }: Pick<Guards, 'forAnyone'>,
  arrivals: ArrivalsService,
  door: NodeDoor,
) =>
  new Elysia({ name: 'nodes.arrivals' })
    .use(announcementRoute({ forAnyone }, arrivals, door))
    .use(moveRoutes(arrivals, door))
    .use(pictureRoutes(arrivals, door))

/** Judges the connection and the token of a move before the body is read. */
function moveGuard(arrivals: ArrivalsService, door: NodeDoor, name: string) {
  function admit(request: Request, set: { headers: Record<string, unknown> }): void {
    set.headers['cache-control'] = 'no-store'
    demandSecure(door, request)
    const { text } = readCredential(request)
    const { pathname } = new URL(request.url)
    arrivals.admit(pathname.slice(MOVES_PATH.length + 1).split('/', 1)[0] ?? '', text)
  }
  return new Elysia({ name: `nodes.arrivals.guard.${name}` })
    .onParse({ as: 'scoped' }, ({ request, set }) => admit(request, set))
    .derive({ as: 'scoped' }, ({ request, set }) => {
      admit(request, set)
      return {}
    })
}

function announcementRoute(
  { forAnyone }: Pick<Guards, 'forAnyone'>,
  arrivals: ArrivalsService,
  door: NodeDoor,
) {
  return new Elysia({ name: 'nodes.arrivals.announcement', tags: ['Nodes'] })
    .onParse(({ request }) => demandSecure(door, request))
    .use(forAnyone)
    .post(
      MOVES_PATH,
      async ({ body, clientInfo, request, set, status }) => {
        demandSecure(door, request)
        set.headers['cache-control'] = 'no-store'
        return status(201, await arrivals.begin(body, clientInfo.address))
      },
      {
        parse: jsonBody(LIMITS.openBodyBytesMax),
        body: ArrivingMoveInput,
        response: {
          201: ArrivingMoveBegun,
          ...failures(...WITH_NODE_CODE, ...WRITING, ...JSON_BODY, [
            'conflict',
            'The store cannot come here; the message says why, and `details.reason` names it: older, newer, plan, slug, store, model, room or busy.',
          ]),
        },
        detail: {
          operationId: 'announceArrivingStore',
          summary: 'Announce a store that comes from another node',
          description: 'With a code of `lookalike node invite`, which it uses up. Only other nodes call it.',
        },
      },
    )
}

function moveRoutes(arrivals: ArrivalsService, door: NodeDoor) {
  return new Elysia({ name: 'nodes.arrivals.move', prefix: MOVES_PATH, tags: ['Nodes'] })
    .use(moveGuard(arrivals, door, 'move'))
    .get('/:id', ({ params }) => arrivals.read(params.id), {
      params: MoveParams,
      response: { 200: ArrivingMove, ...failures(...WITH_TOKEN, ...READING) },
      detail: {
        operationId: 'getArrivingStore',
        summary: 'Read how far a store has arrived, and whether it is open',
        description: 'The source asks when it does not know how an earlier call ended.',
      },
    })
    .post(
      '/:id/rows',
      ({ params, query, body }) =>
        arrivals.applyRows(params.id, query.batch, (body as { bytes: Uint8Array }).bytes),
      {
        parse: bytesBody(ROWS_TYPE, ROWS_UNPACKED_BYTES_MAX),
        params: MoveParams,
        query: RowsQuery,
        body: Bytes,
        response: {
          200: RowsApplied,
          ...failures(...WITH_TOKEN, ...WRITING, 'payload_too_large', 'unsupported_media_type', OVER),
        },
        detail: {
          operationId: 'sendArrivingRows',
          summary: 'Send rows of a store, a line each',
          description:
            'Numbers of batches grow. One that is not higher than the last is answered without being applied.',
        },
      },
    )
    .post('/:id/index', ({ params }) => arrivals.loadIndex(params.id), {
      parse: noBody,
      params: MoveParams,
      response: { 200: IndexState, ...failures(...WITH_TOKEN, ...WRITING, OVER) },
      detail: {
        operationId: 'loadArrivingIndex',
        summary: 'Bring a store into memory for searches, beside all other work',
        description: 'Ask again until `is_loaded`.',
      },
    })
    .post('/:id/digest', ({ params }) => arrivals.readDigest(params.id), {
      parse: noBody,
      params: MoveParams,
      response: { 200: MoveDigest, ...failures(...WITH_TOKEN, ...WRITING, OVER) },
      detail: {
        operationId: 'readArrivingDigest',
        summary: 'Sum up the rows of a store',
        description: 'Rows and a sum for each table, kept up as rows come.',
      },
    })
    .post('/:id/search', ({ params, body }) => arrivals.search(params.id, body), {
      parse: jsonBody(LIMITS.openBodyBytesMax),
      params: MoveParams,
      body: ProofSearch,
      response: {
        200: ProofHits,
        ...failures(...WITH_TOKEN, ...WRITING, ...JSON_BODY, OVER, 'not_found', 'model_not_ready'),
      },
      detail: {
        operationId: 'searchArrivingStore',
        summary: 'Search a store that is not open yet',
        description: 'As the API would once the store is open, and uncounted.',
      },
    })
    .post('/:id/open', ({ params }) => arrivals.open(params.id), {
      parse: noBody,
      params: MoveParams,
      response: {
        200: MoveOpened,
        ...failures(...WITH_TOKEN, ...WRITING, [
          'conflict',
          'The move was given up, or the slug is taken by now; the message says which.',
        ]),
      },
      detail: {
        operationId: 'openArrivingStore',
        summary: 'Serve a store from now on',
        description: 'In one transaction. It may be asked again.',
      },
    })
    .delete('/:id', ({ params }) => arrivals.abandon(params.id), {
      parse: noBody,
      params: MoveParams,
      response: {
        200: MoveAbandoned,
        ...failures(...WITH_TOKEN, ...WRITING, ['conflict', 'The store is open here already.']),
      },
      detail: {
        operationId: 'abandonArrivingStore',
        summary: 'Give up a move before the store is open',
        description: 'What has come is erased, and the store never opens by this move.',
      },
    })
}

function pictureRoutes(arrivals: ArrivalsService, door: NodeDoor) {
  return new Elysia({ name: 'nodes.arrivals.pictures', prefix: MOVES_PATH, tags: ['Nodes'] })
    .use(moveGuard(arrivals, door, 'pictures'))
    .post(
      '/:id/pictures/missing',
      async ({ params, body }) => ({ missing: await arrivals.findMissing(params.id, body.hashes) }),
      {
        parse: jsonBody(LIST_BYTES_MAX),
        params: MoveParams,
        body: PictureHashes,
        response: { 200: MissingPictures, ...failures(...WITH_TOKEN, ...READING, ...JSON_BODY, OVER) },
        detail: {
          operationId: 'findMissingPictures',
          summary: 'Ask which picture files are not here yet',
          description: 'Files that another store has brought need not be sent again.',
        },
      },
    )
    .put(
      '/:id/pictures/:hash',
      async ({ params, body }) => {
        await arrivals.putPicture(params.id, params.hash, (body as { bytes: Uint8Array }).bytes)
        return { status: 'stored' as const }
      },
      {
        parse: bytesBody(BYTES_TYPE, LIMITS.pictureBytesMax),
        params: PictureParams,
        body: Bytes,
        response: {
          200: PictureStored,
          ...failures(...WITH_TOKEN, ...WRITING, 'payload_too_large', 'unsupported_media_type', OVER),
        },
        detail: {
          operationId: 'sendArrivingPicture',
          summary: 'Send a picture file, named by its SHA-256',
          description: 'The bytes are held against the hash.',
        },
      },
    )
}
