import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { SignInRequest } from '../../access/sign-in/schema.ts'
import { PlanName } from '../usage/schema.ts'

export const LinkParams = t.Object({ token: t.String() })

/** The sign-in of a super-admin, with what is confirmed. */
export const CheckoutConfirmation = named(
  'CheckoutConfirmation',
  t.Object({
    ...SignInRequest.properties,
    is_paid: t.Optional(
      Type.Boolean({ description: 'Whether the money has arrived: the invoice is issued as paid.' }),
    ),
  }),
  { email: 'operator@shop.example', password: 'kettle drum violin', is_paid: true },
)
export type CheckoutConfirmation = typeof CheckoutConfirmation.static

export const CheckoutConfirmed = named(
  'CheckoutConfirmed',
  t.Object({
    status: oneOf(
      ['completed', 'already_completed'],
      '`already_completed`: it was confirmed before, and nothing happened.',
    ),
    plan_name: PlanName,
    invoice_number: t.Union([t.String(), t.Null()], { description: 'null where there is nothing to pay.' }),
    invoice_url: t.Union([t.String({ format: 'uri' }), t.Null()]),
  }),
)
export type CheckoutConfirmed = typeof CheckoutConfirmed.static
