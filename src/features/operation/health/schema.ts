import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'

const Check = named(
  'HealthCheck',
  t.Object({
    ok: t.Boolean(),
    reason: t.Optional(t.String()),
    warning: t.Optional(
      t.String({ description: 'What the operator should see to, although the service is ready.' }),
    ),
  }),
)

/** What is found about each part of the service. */
export const Checks = named(
  'HealthChecks',
  t.Object({ database: Check, vectors: Check, model: Check, disk: Check, backup: Check }),
)

export const Readiness = named(
  'Readiness',
  t.Object({
    status: t.Union([t.Literal('ready'), t.Literal('not_ready')]),
    checks: Checks,
  }),
)
