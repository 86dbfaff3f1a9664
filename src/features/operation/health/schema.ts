import { Type } from '@sinclair/typebox'
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
  t.Object({
    ...{ database: Check, vectors: Check, model: Check, disk: Check, backup: Check },
    copies: t.Optional(
      t.Object(
        {
          ok: t.Boolean(),
          reason: t.Optional(t.String()),
          warning: t.Optional(t.String()),
          epoch: Type.Integer({ description: 'Counts the owners that this install has had.' }),
          lag_seconds: t.Nullable(
            t.Number({ description: 'How old the copy is at most; null before the first whole one.' }),
          ),
        },
        { description: 'The copies for a standby; absent where nothing is copied.' },
      ),
    ),
  }),
)

export const Readiness = named(
  'Readiness',
  t.Object({
    status: t.Union([t.Literal('ready'), t.Literal('not_ready')]),
    checks: Checks,
  }),
)
