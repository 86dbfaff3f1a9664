import { describe, expect, test } from 'bun:test'
import { answerPage, escapeHtml, isFromBrowser, page, prefersPage, SCRIPTED } from '../../src/http/page.ts'

const prefers = (accept?: string) =>
  prefersPage(new Request('http://lookalike.test/', accept === undefined ? {} : { headers: { accept } }))

describe('a page goes to whoever would rather have one', () => {
  test.each([
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'TEXT/HTML; q=0.9, */*;q=0.1',
    'application/json, text/html',
    'application/json;q=0.4, text/html;q=0.5',
  ])('%s', (accept) => expect(prefers(accept)).toBe(true))

  test.each([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'text/html;q=0',
    'text/html;q=x',
    'text/htmlx',
    'text/*',
  ])('%s: data', (accept) => expect(prefers(accept)).toBe(false))
})

test('a title and a text cannot become markup', () => {
  const nasty = `<script>"&'`
  expect(escapeHtml(nasty)).toBe(`&lt;script&gt;&quot;&amp;'`)
  expect(page(nasty, '')).toContain(`<title>&lt;script&gt;&quot;&amp;'</title>`)
})

describe('who passes for a browser gets no data that changes something', () => {
  const passes = (headers: Record<string, string>) =>
    isFromBrowser(new Request('http://lookalike.test/', { headers }))

  test.each([
    { accept: 'text/html' },
    { 'sec-fetch-mode': 'navigate' },
    { 'user-agent': 'Mozilla/5.0' },
    { accept: 'application/json', 'user-agent': 'Mozilla/4.0 (compatible; a scanner)' },
  ])('%j', (headers) => expect(passes(headers as Record<string, string>)).toBe(true))

  test.each([
    {},
    { accept: '*/*', 'user-agent': 'curl/8.5.0' },
    { accept: 'application/json', 'sec-fetch-mode': 'cors' },
    { 'user-agent': 'python-requests (Mozilla/5.0)' },
  ])('%j: a program', (headers) => expect(passes(headers as Record<string, string>)).toBe(false))
})

test('a page names a script only when it has one', () => {
  expect(page('a', '')).not.toContain('<script')
  expect(page('a', '', '/docs/x.js')).toContain('<script src="/docs/x.js" defer></script>')
})

test('a page loads from its own origin only, and its forms go nowhere', () => {
  const policyOf = (answer: Response) => answer.headers.get('content-security-policy') ?? ''
  expect(policyOf(answerPage(''))).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  )
  expect(policyOf(answerPage('', SCRIPTED))).toBe(
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  )
})
