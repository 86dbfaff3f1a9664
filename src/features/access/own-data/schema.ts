import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { text } from '../../../http/text-schema.ts'
import { TitledStore } from '../../stores/stores/schema.ts'
import { reauthenticationFields } from '../reauthentication/schema.ts'

export const StoreParams = t.Object({
  store: text({ minLength: 1, maxLength: 100, description: 'Id or slug of one of your stores.' }),
})

export const Left = named(
  'StoreLeft',
  t.Object({
    status: t.Literal('left'),
    store: TitledStore,
  }),
)
export type Left = typeof Left.static

export const Deletion = named(
  'AccountDeletion',
  t.Object({
    ...reauthenticationFields,
    email: text({
      minLength: 1,
      maxLength: 320,
      description: 'Your e-mail address, typed again: there is no way back.',
    }),
  }),
  { password: 'kettle drum violin', email: 'anna@shop.example' },
)
export type Deletion = typeof Deletion.static

export const Deleted = named(
  'AccountDeleted',
  t.Object({
    status: t.Literal('deleted'),
    sessions_ended: Type.Integer({ description: 'Sign-ins that ended, this one included.' }),
    stores_left: Type.Integer({ description: 'Stores that you were a member of.' }),
  }),
)
export type Deleted = typeof Deleted.static
