import { ERRORS, type ErrorCode } from '../core/errors.ts'
import { escapeHtml, page, toHtml } from './page.ts'

/** A failure as a page shows it. */
export interface ShownFailure {
  code: ErrorCode
  message: string
  /** Path of the page that was probably meant. */
  nearest?: string | undefined
  /** Shown if the operator needs it to find the failure in the log. */
  requestId?: unknown
}

/** Renders the page that a browser gets in place of a failure's JSON. It repeats nothing of the request. */
export function failurePage({ code, message, nearest, requestId }: ShownFailure): string {
  const { status, meaning, advice } = ERRORS[code]
  const isMissing = code === 'not_found'
  const heading = isMissing ? 'There is nothing at this address' : meaning.replace(/\.$/, '')
  const text = isMissing
    ? '<p>The address may be misspelt, or what it led to is gone.</p>'
    : `<p class="problem">${toHtml(toSentence(message))}</p>
    <p>${toHtml(advice)}</p>`
  return page(
    `${toPlainText(heading)} · Lookalike`,
    `<p class="status">HTTP ${status}</p>
    <h1>${toHtml(heading)}</h1>
    ${text}${nearest === undefined ? '' : `\n    <p>Did you mean <a href="${escapeHtml(nearest)}"><code>${escapeHtml(nearest)}</code></a>?</p>`}${requestId === undefined ? '' : `\n    <p class="muted">Request id: <code>${escapeHtml(String(requestId))}</code></p>`}
    <ul class="next">
      <li><a href="/">Start page</a></li>
      <li><a href="/docs">API page</a></li>
      <li><a href="/docs/guide">Guide</a></li>
      <li><a href="/errors/${code}">More about <code>${code}</code></a></li>
    </ul>`,
  )
}

const toSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)
const toPlainText = (text: string): string => text.replaceAll('`', '')

/**
 * Whether a failure is shown as a page: somebody opened an address in a browser. A request with a credential comes from a
 * program, whatever it accepts.
 */
export const isOpenedByPerson = ({ method, headers }: Request, prefersPage: boolean): boolean =>
  prefersPage &&
  (method === 'GET' || method === 'HEAD') &&
  !headers.has('authorization') &&
  !headers.has('x-api-key')
