import { createHash } from 'node:crypto'
import { type Context, Elysia } from 'elysia'
import { turn } from '../../../core/turns.ts'
import { FOR_SUPER_ADMIN, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import type { LineFormat } from './formats.ts'
import { MapQuery, NodeMap } from './schema.ts'
import type { MapService } from './service.ts'

const UNCHANGED = { 304: { description: 'The map that `If-None-Match` names is the present one.' } }

/** Contract 8.20: who lives where, for super-admins, commands, and proxies with `MAP_TOKEN`. */
export const mapRoutes = ({ forMap }: Pick<Guards, 'forMap'>, map: MapService) =>
  new Elysia({ name: 'nodes.map', prefix: '/v1/admin/map', tags: ['Operator'] })
    .use(forMap)
    .get('', ({ request, query, set }) => answer(map, request, query, set.headers), {
      operator: true,
      query: MapQuery,
      response: {
        200: NodeMap,
        ...failures(...FOR_SUPER_ADMIN, ...READING, 'validation_error', 'invalid_cursor'),
      },
      detail: {
        operationId: 'getNodeMap',
        summary: 'Read which node serves which store',
        description:
          'The stores of this node, and those that have moved from here, with the node that serves each: as JSON in pages, or as a file for HAProxy, nginx, Caddy or Prometheus. The bearer `MAP_TOKEN` opens this route and no other. Every answer has an `ETag`; with `If-None-Match` it is 304 while nothing has changed.',
        responses: UNCHANGED,
      },
    })

/** Elysia sends a Response as it is, so the files stand in place of the JSON that the route declares. */
async function answer(
  map: MapService,
  { headers }: Request,
  { format = 'json', hosts, ...page }: MapQuery,
  answered: Context['set']['headers'],
): Promise<NodeMap> {
  const tags = headers.get('if-none-match')
  if (format === 'json') {
    const read = map.readPage(page)
    const etag = tagOf(hash(JSON.stringify(read)))
    Object.assign(answered, HEADERS, { etag })
    return isKnown(tags, etag) ? file(unchanged(etag)) : read
  }
  if (format === 'prometheus') {
    const text = map.writeTargets()
    const etag = tagOf(hash(text))
    return file(isKnown(tags, etag) ? unchanged(etag) : fileOf(text, etag, 'application/json'))
  }
  const etag = tagOf(await map.hashLines(format, hosts))
  return file(
    isKnown(tags, etag)
      ? unchanged(etag)
      : fileOf(stream(map, format, hosts), etag, 'text/plain; charset=utf-8'),
  )
}

const file = (response: Response) => response as unknown as NodeMap

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')
const tagOf = (hashed: string): string => `"${hashed}"`

const HEADERS = { 'cache-control': 'private, no-cache' } as const

const fileOf = (body: string | ReadableStream<Uint8Array>, etag: string, type: string) =>
  new Response(body, { headers: { ...HEADERS, etag, 'content-type': type } })

const unchanged = (etag: string) => new Response(null, { status: 304, headers: { ...HEADERS, etag } })

/** Proxies that change the encoding mark their tags as weak. */
const isKnown = (tags: string | null, etag: string): boolean =>
  (tags ?? '').split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')))

/** Reads on as the client takes it. A fault resets the connection, which tells the client that the map is not whole. */
function stream(map: MapService, format: LineFormat, hosts: string | undefined): ReadableStream<Uint8Array> {
  const pieces = map.writePieces(format, hosts)
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        await turn()
        try {
          const { done, value } = pieces.next()
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch {
          controller.error()
        }
      },
    },
    { highWaterMark: 0 },
  )
}
