import type { ErrorCode, ErrorKind } from '../../../core/errors.ts'
import { page } from '../../../http/page.ts'

/** Renders the page at `/errors/<code>`: the meaning of a code, and advice. */
export function renderErrorPage(code: ErrorCode, { status, meaning, advice, reasons }: ErrorKind): string {
  return page(
    `${code} · Lookalike`,
    `<p class="status">HTTP ${status}</p>
    <h1><code>${code}</code></h1>
    <p>${toHtml(meaning)}</p>
    <h2>What to do</h2>
    <p>${toHtml(advice)}</p>${reasons ? renderReasons(reasons) : ''}
    <p><a href="/errors">All errors</a> · <a href="/docs">API page</a> · <a href="/docs/guide">Guide</a></p>`,
  )
}

function renderReasons(reasons: NonNullable<ErrorKind['reasons']>): string {
  const rows = Object.entries(reasons).map(
    ([reason, { cause, cure }]) =>
      `<tr><td><code>${reason}</code></td><td>${toHtml(cause)}</td><td>${toHtml(cure)}</td></tr>`,
  )
  return `
    <h2>Reasons</h2>
    <table><thead><tr><th><code>reason</code></th><th>What happened</th><th>What to do</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

/** Renders the page at `/errors`: the whole register. */
export function renderErrorIndex(errors: Readonly<Record<string, ErrorKind>>): string {
  const rows = Object.entries(errors).map(
    ([code, { status, meaning }]) =>
      `<tr><td>${status}</td><td><a href="/errors/${code}"><code>${code}</code></a></td><td>${toHtml(meaning)}</td></tr>`,
  )
  return page(
    'Errors · Lookalike',
    `<h1>Errors</h1>
    <p>Every error answer has <code>error</code> (one of these codes), <code>message</code> and often <code>details</code>.</p>
    <table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>
    <p><a href="/docs">API page</a> · <a href="/docs/guide">Guide</a></p>`,
  )
}

/** Converts our own sentences, with `code` in backticks, to HTML. */
const toHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
