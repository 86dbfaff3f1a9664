import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody, jsonOrNothing } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, JSON_BODY, WITH_NODE_CODE, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { demandSecure, type NodeDoor } from '../../../http/node-door.ts'
import { NODE_PREFIX, NodeSecrets, SecretsInput } from '../protocol/schema.ts'
import { NodeInvite, NodeInviteBody } from './schema.ts'
import type { TrustService } from './service.ts'

/** Contract 8.19: codes for other nodes, and the secrets for a standby. */
export function trustRoutes(
  { forOperator, forAnyone }: Pick<Guards, 'forOperator' | 'forAnyone'>,
  trust: TrustService,
  door: NodeDoor,
) {
  const invites = new Elysia({ name: 'nodes.trust.invites', prefix: '/v1/admin/node', tags: ['Operator'] })
    .use(forOperator)
    .post(
      '/invites',
      ({ operator, body, set }) => {
        set.status = 201
        return trust.invite(operator, body.for)
      },
      {
        operator: true,
        parse: jsonOrNothing(LIMITS.openBodyBytesMax),
        body: NodeInviteBody,
        response: {
          201: NodeInvite,
          ...failures(...FOR_SUPER_ADMIN, ...WRITING, ...JSON_BODY, [
            'conflict',
            'This node speaks http, so no other node gets in, or too many codes are open; the message says which.',
          ]),
        },
        detail: {
          operationId: 'inviteNode',
          summary: 'Make a code for another node',
          description:
            'Good for ten minutes and once: for one store that another node sends, or for a standby.',
        },
      },
    )
  const secrets = new Elysia({ name: 'nodes.trust.secrets', prefix: NODE_PREFIX, tags: ['Nodes'] })
    .onParse(({ request }) => demandSecure(door, request))
    .use(forAnyone)
    .post(
      '/secrets',
      ({ body, clientInfo, request, set }) => {
        demandSecure(door, request)
        set.headers['cache-control'] = 'no-store'
        return trust.giveSecrets(body.code, clientInfo.address)
      },
      {
        parse: jsonBody(LIMITS.openBodyBytesMax),
        body: SecretsInput,
        response: { 200: NodeSecrets, ...failures(...WITH_NODE_CODE, ...WRITING, ...JSON_BODY) },
        detail: {
          operationId: 'getNodeSecrets',
          summary: 'Get the secrets of an install for its standby',
          description: 'Over TLS, once for each code that was made for a standby. Only other nodes call it.',
        },
      },
    )
  return new Elysia({ name: 'nodes.trust' }).use(invites).use(secrets)
}
