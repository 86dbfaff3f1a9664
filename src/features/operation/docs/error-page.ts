import { CURES, type Cure } from '../../../core/cures.ts'
import { ERRORS, type ErrorCode, type ErrorKind } from '../../../core/errors.ts'
import { escapeHtml, page, toHtml } from '../../../http/page.ts'

/** An endpoint of the API. */
export interface Endpoint {
  method: string
  /** With parameters in braces. */
  path: string
  /** Address of its description on the API page. */
  address: string
}

/** More endpoints than this are counted, not listed. */
const LISTED_MAX = 30

/**
 * Renders the page at `/errors/<code>`: the meaning of a code, advice, an example and the endpoints that answer it.
 *
 * @param senders the endpoints that declare the code.
 */
export function renderErrorPage(code: ErrorCode, senders: readonly Endpoint[]): string {
  const { status, meaning, advice, reasons }: ErrorKind = ERRORS[code]
  return page(
    `${code} · Lookalike`,
    `<p class="status">HTTP ${status}</p>
    <h1><code>${code}</code></h1>
    <p>${toHtml(meaning)}</p>
    <h2>What to do</h2>
    <p>${toHtml(advice)}</p>${reasons ? renderReasons(reasons) : ''}${renderCures(CURES[code] ?? [])}
    <h2>In an answer</h2>
    <p>The code stays the same from version to version; read it, not the message. <code>message</code> says more about your request, and so do the other fields of <code>details</code>.</p>
    <pre class="copy"><code>${escapeHtml(renderExample(code))}</code></pre>
    ${renderSenders(senders)}
    <p class="next"><a href="/errors">All errors</a> <a href="/docs">Try a request</a></p>`,
    undefined,
    '/errors',
  )
}

const renderExample = (code: ErrorCode): string =>
  JSON.stringify({ error: code, message: '…', details: { help: `/errors/${code}` } }, null, 2)

function renderCures(cures: readonly Cure[]): string {
  if (cures.length === 0) return ''
  const items = cures.map(
    ({ when, line }) => `
    <p>${toHtml(when)}:</p>
    <pre class="copy"><code>${escapeHtml(line)}</code></pre>`,
  )
  return `
    <h2>What the operator can do</h2>${items.join('')}
    <p class="muted">Settings stand in the environment of the service or in its flags, and count from its next start. The <a href="/docs/guide/reference">reference</a> lists them all.</p>`
}

function renderSenders(senders: readonly Endpoint[]): string {
  if (senders.length === 0) return ''
  if (senders.length > LISTED_MAX)
    return `<h2>Where it comes from</h2>
    <p>${senders.length} endpoints can answer it; the <a href="/docs">API page</a> shows it with each.</p>`
  const items = senders.map(
    ({ method, path, address }) =>
      `<li><a href="${escapeHtml(address)}"><code>${method} ${escapeHtml(path)}</code></a></li>`,
  )
  return `<h2>Where it comes from</h2>
    <ul class="plain">${items.join('')}</ul>`
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

/** The names of statuses (RFC 9110 §15). */
const STATUSES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not signed in',
  402: 'Beyond the plan',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Wrong method',
  409: 'Conflict',
  410: 'Gone',
  413: 'Too large',
  415: 'Wrong media type',
  421: 'On another node',
  422: 'Not valid',
  429: 'Too many requests',
  500: 'Fault of the service',
  503: 'Not available now',
}

/** Renders the page at `/errors`: the whole register, by status. */
export function renderErrorIndex(): string {
  const codes = Object.entries(ERRORS) as [ErrorCode, ErrorKind][]
  const byStatus = [...Map.groupBy(codes, ([, { status }]) => status)].sort(([a], [b]) => a - b)
  const sections = byStatus.map(
    ([
      status,
      kinds,
    ]) => `<h2 id="${status}">${status} <span class="muted">${STATUSES[status] ?? ''}</span></h2>
    <dl class="codes">${kinds
      .map(
        ([code, { meaning }]) =>
          `<div><dt><a href="/errors/${code}"><code>${code}</code></a></dt><dd>${toHtml(meaning)}</dd></div>`,
      )
      .join('')}</dl>`,
  )
  return page(
    'Errors · Lookalike',
    `<h1>Errors</h1>
    <p>Every error answer has <code>error</code> (one of these codes), <code>message</code> and <code>details</code>; <code>details.help</code> leads to the page of the code.</p>
    <nav class="jump" aria-label="Statuses">${byStatus.map(([status]) => `<a href="#${status}">${status}</a>`).join('')}</nav>
    ${sections.join('\n    ')}`,
    undefined,
    '/errors',
  )
}
