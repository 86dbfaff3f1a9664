import { t } from 'elysia'

/** The content of an answer with a WebP picture, for the API's document. */
export const WEBP_CONTENT = { 'image/webp': { schema: { type: 'string', format: 'binary' } } } as const

/** What a signed address carries behind the path. */
export const SignedAddressQuery = t.Object({
  until: t.Optional(t.String({ description: 'The hour, counted from 1970, at which the address ends.' })),
  sig: t.Optional(t.String({ description: 'The signature of name and hour.' })),
})

/** Answers with a WebP picture that pages of other hosts may show. */
export function answerWebp(
  set: { headers: Record<string, string | number | undefined> },
  webp: Uint8Array,
  caching: string,
): Response {
  Object.assign(set.headers, {
    'content-type': 'image/webp',
    'cache-control': caching,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  })
  return new Response(Uint8Array.from(webp))
}
