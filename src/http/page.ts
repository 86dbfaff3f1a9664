/** Where a route's declaration says that a browser gets HTML instead of JSON. */
export const PAGE = 'x-page'

/** What a page may load. Its forms go nowhere but to a script. */
export interface PagePolicy {
  /** Sources beside style sheets and pictures of the own origin, as directives. */
  more?: string
}

/** Headers of every page: nothing leaves the origin, and no script or style stands inside. */
export const pageHeaders = ({ more = '' }: PagePolicy = {}) => ({
  'content-security-policy':
    `default-src 'none'; ${more}style-src 'self'; img-src 'self' data: blob:; ` +
    `form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})

/** A page that runs our scripts, which ask our API. */
export const SCRIPTED: PagePolicy = { more: "script-src 'self'; connect-src 'self'; " }

/** @param title plain text. @param body HTML of what stands inside `main`. @param script path of one of our scripts. */
export const page = (title: string, body: string, script?: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/page.css" />${script ? `\n    <script src="${script}" defer></script>` : ''}
  </head>
  <body>
    <main>
    ${body}
    </main>
  </body>
</html>
`

/** A text as it must stand in HTML, also inside an attribute's double quotes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** An answer that is a page. */
export const pageAnswer = (html: string, policy: PagePolicy = {}, status = 200): Response =>
  new Response(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...pageHeaders(policy) },
  })

/** Whether a request would rather have a page than data: what browsers ask for when somebody follows a link. */
export function prefersPage(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  const html = weightOf(accept, 'text/html')
  return html > 0 && html >= weightOf(accept, 'application/json')
}

/**
 * Whether a browser sent a request, or a scanner of mails that passes for one: it prefers a page, somebody followed a
 * link, or it names itself as browsers do.
 */
export const isFromBrowser = (request: Request): boolean =>
  prefersPage(request) ||
  request.headers.get('sec-fetch-mode') === 'navigate' ||
  (request.headers.get('user-agent') ?? '').startsWith('Mozilla/')

/** The weight of a type that is named itself, 0 to 1 (RFC 9110 §12.5.1). */
function weightOf(accept: string, type: string): number {
  for (const entry of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}
