import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'

export const PageToCheck = named(
  'PageToCheck',
  t.Object({
    url: text({
      minLength: 1,
      maxLength: LIMITS.fetchUrlCharsMax,
      description: 'Address of a page of the shop, http or https.',
    }),
  }),
  { url: 'https://shop.example/' },
)
export type PageToCheck = typeof PageToCheck.static

export const PageCheck = named(
  'PageCheck',
  t.Object({
    snippet: t.Boolean({
      description:
        'Whether the page holds the script of this service’s widget. One that another script adds is not seen here, but in `last_seen`.',
    }),
    key_matches: t.Boolean({ description: 'Whether the snippet has this widget key.' }),
    origin_listed: t.Boolean({
      description: 'Whether the key lists the origin of the page, after its redirects.',
    }),
    csp: t.Array(oneOf(['script-src', 'connect-src', 'img-src', 'sandbox'] as const), {
      description:
        'Directives of the Content-Security-Policy, of headers and `<meta>` elements, that keep the widget from working: the first three need the address of this service, and `sandbox` needs `allow-scripts`.',
    }),
    last_seen: t.Union([Moment, t.Null()], {
      description: 'When the key was last used from that origin; null for never.',
    }),
  }),
)
export type PageCheck = typeof PageCheck.static

export const AddressesToCheck = named(
  'AddressesToCheck',
  t.Object({
    product_url_template: text({
      minLength: 1,
      maxLength: LIMITS.fetchUrlCharsMax,
      description: 'A template as the setting `product_url_template` takes it.',
    }),
  }),
  { product_url_template: '/products/{product_id}' },
)
export type AddressesToCheck = typeof AddressesToCheck.static

const CheckedAddress = named(
  'CheckedAddress',
  t.Object({
    product_id: t.String(),
    url: t.String(),
    status: t.Union([Type.Integer(), t.Null()], {
      description: 'What the address answered after its redirects; null for no answer.',
    }),
    failure: t.Union(
      [
        t.Object({ reason: t.String({ description: 'As of `page_fetch_failed`.' }), message: t.String() }),
        t.Null(),
      ],
      { description: 'Why there was no answer.' },
    ),
  }),
)
export type CheckedAddress = typeof CheckedAddress.static

export const CheckedAddresses = t.Array(CheckedAddress, { maxItems: 3 })
