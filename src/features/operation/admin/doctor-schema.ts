import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'

export const AdminDoctor = named(
  'AdminDoctor',
  t.Object({
    is_ok: t.Boolean({ description: 'Whether there is no error.' }),
    checks: t.Array(
      t.Object({
        name: t.String({ examples: ['disk'] }),
        state: oneOf(['ok', 'warning', 'error'], 'A `warning` does not keep the service from running.'),
        text: t.String({ description: 'What was found.' }),
        cure: t.Union([t.String(), t.Null()], {
          description: 'What to do about it; null where nothing has to be done.',
        }),
      }),
    ),
  }),
)
export type AdminDoctor = typeof AdminDoctor.static
