import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { NO_BODY } from '../../../http/failures.ts'
import { named } from '../../../http/openapi/named.ts'
import { Readiness } from './schema.ts'
import type { HealthService } from './service.ts'

const Liveness = t.Object({
  status: t.Literal('ok'),
  starting: t.Optional(
    t.String({ description: 'What the service does before it answers requests; absent once it does.' }),
  ),
})

const Version = named(
  'Version',
  t.Object({
    version: t.String(),
    api: t.Array(t.String(), { description: 'Supported major versions.' }),
    schema: Type.Integer({ description: 'Version of the database schema.' }),
    model: t.Object({ id: t.String(), hash: t.String(), dimension: Type.Integer() }),
  }),
)

/** Tells that the process is alive; open to everyone. Load balancers ask so often that it stands before the hooks. */
export function livenessRoutes() {
  return new Elysia({ name: 'health.liveness', tags: ['Operation'] }).get(
    '/health',
    () => ({ status: 'ok' as const }),
    {
      response: { 200: Liveness },
      detail: {
        responses: NO_BODY,
        operationId: 'getHealth',
        summary: 'Check whether the process is alive',
        description: 'For load balancers. Needs no credential, touches no disk and is not logged.',
      },
    },
  )
}

/** Readiness and version, for monitors and load balancers; open to everyone. */
export function healthRoutes(health: HealthService) {
  return new Elysia({ name: 'health.routes', tags: ['Operation'] })
    .get(
      '/health/ready',
      async ({ status }) => {
        const readiness = await health.checkReadiness()
        return status(readiness.status === 'ready' ? 200 : 503, readiness)
      },
      {
        response: { 200: Readiness, 503: Readiness },
        detail: {
          responses: NO_BODY,
          operationId: 'getReadiness',
          summary: 'Check whether the service is ready: database, vectors, model and disk',
          description:
            '503 tells which check fails and why. `backup` never fails; its `warning` says that no good backup is recent. Needs no credential.',
        },
      },
    )
    .get('/version', () => health.readVersion(), {
      response: { 200: Version },
      detail: {
        responses: NO_BODY,
        operationId: 'getVersion',
        summary: 'Read the versions of the service, its API, its database and its model',
        description:
          'Needs no credential. `model.hash` changes when vectors of other installs can no longer be compared.',
      },
    })
}
