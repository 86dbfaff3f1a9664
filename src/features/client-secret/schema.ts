import { t } from 'elysia'

export const NewClientSecret = t.Object({
  client_id: t.String(),
  client_secret: t.String({ description: 'The secret itself. It is shown this once and not kept.' }),
  rotated_at: t.String({ format: 'date-time' }),
})
export type NewClientSecret = typeof NewClientSecret.static
