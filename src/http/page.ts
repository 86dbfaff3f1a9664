import { LAYOUT_FOOTER, type LayoutLink, layoutHeader, MARK_ADDRESS } from './layout.ts'

/** Marks a route whose answers are HTML for browsers. */
export const PAGE = 'x-page'

/** The sources that a page may load. Only scripts submit its forms. */
export interface PagePolicy {
  /** Further sources, as directives; style sheets and pictures of the own origin are always allowed. */
  more?: string
  /** Further sources of pictures. */
  pictures?: string
  /** Whose frames may show the page; nobody's by default. */
  ancestors?: string
}

/** Headers of every page: nothing leaves the origin, and the page contains no inline script or style. */
export const pageHeaders = ({ more = '', pictures, ancestors = "'none'" }: PagePolicy = {}) => ({
  'content-security-policy':
    `default-src 'none'; ${more}style-src 'self'; img-src 'self' data: blob:${pictures ? ` ${pictures}` : ''}; ` +
    `form-action 'none'; base-uri 'none'; frame-ancestors ${ancestors}`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})

/** A page that runs scripts of this origin, which call the API. */
export const SCRIPTED: PagePolicy = { more: "script-src 'self'; connect-src 'self'; " }

/**
 * Builds a page in the layout that all pages share.
 *
 * @param title plain text. @param body HTML inside `main`. @param script path of a script of this origin. @param current
 * the link of the layout that leads to this page.
 */
export const page = (
  title: string,
  body: string,
  script?: string,
  current?: LayoutLink,
): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${MARK_ADDRESS}" />
    <link rel="stylesheet" href="/docs/page.css" />${script ? `\n    <script src="${script}" defer></script>` : ''}
  </head>
  <body>
    ${layoutHeader(current)}
    <main id="content">
    ${body}
    </main>
    ${LAYOUT_FOOTER}
  </body>
</html>
`

/** Escapes a text for HTML, including attributes in double quotes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Converts our own sentences to HTML. In them, `code` stands in backticks. */
export const toHtml = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** Answers with a page. */
export const answerPage = (html: string, policy: PagePolicy = {}, status = 200): Response =>
  new Response(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...pageHeaders(policy) },
  })

/** Whether a client prefers a page to data, as browsers do when someone follows a link. */
export function prefersPage(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  const html = readWeight(accept, 'text/html')
  return html > 0 && html >= readWeight(accept, 'application/json')
}

/**
 * Whether a request comes from a browser, or from a mail scanner that passes for one: it prefers a page, navigates, or
 * identifies as a browser.
 */
export const isFromBrowser = (request: Request): boolean =>
  prefersPage(request) ||
  request.headers.get('sec-fetch-mode') === 'navigate' ||
  (request.headers.get('user-agent') ?? '').startsWith('Mozilla/')

/** Reads the weight of a type that is listed explicitly, from 0 to 1 (RFC 9110 §12.5.1). */
function readWeight(accept: string, type: string): number {
  for (const entry of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}
