import { describe, expect, test } from 'bun:test'
import { escapeHtml, page, pageAnswer, prefersPage } from '../../src/http/page.ts'

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

test('a page loads from its own origin only, and its forms go nowhere unless they must', () => {
  const policyOf = (answer: Response) => answer.headers.get('content-security-policy') ?? ''
  expect(policyOf(pageAnswer(''))).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  )
  expect(policyOf(pageAnswer('', { hasForm: true }))).toContain("form-action 'self'")
})
