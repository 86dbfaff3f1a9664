import { describe, expect, test } from 'bun:test'
import { type Embedding, listBlocking } from '../../../../src/features/discovery/shop-pages/csp.ts'

const embedding = (more: Partial<Embedding> = {}): Embedding => ({
  page: new URL('https://shop.example/p'),
  script: new URL('https://search.example/widget.js'),
  nonce: undefined,
  ...more,
})
const ALL = ['script-src', 'connect-src', 'img-src']
const SERVICE = 'https://search.example'

describe('which directives block the widget', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['upgrade-insecure-requests', []],
    ["default-src 'none'", ALL],
    ["default-src 'self'", ALL],
    ["default-src 'self' https:", []],
    ['default-src *', []],
    [`default-src ${SERVICE}`, []],
    [`default-src 'none'; script-src ${SERVICE}; connect-src ${SERVICE}; img-src ${SERVICE}`, []],
    [`script-src 'self'; connect-src ${SERVICE}`, ['script-src']],
    [`script-src ${SERVICE}; connect-src 'self'`, ['connect-src']],
    [`img-src data:`, ['img-src']],
    [`script-src ${SERVICE}; script-src-elem 'self'`, ['script-src']],
    [`script-src 'self'; script-src-elem ${SERVICE}`, []],
    ['script-src search.example', []],
    ['script-src SEARCH.example', []],
    ['script-src http://search.example', []],
    ['script-src *.example', []],
    ['script-src *.search.example', ['script-src']],
    ['script-src https://search.example:443', []],
    ['script-src https://search.example:*', []],
    ['script-src https://search.example:8443', ['script-src']],
    ['script-src https://search.example/', []],
    ['script-src https://search.example/assets/', ['script-src']],
    ['script-src https://search.example/widget.js', ['script-src']],
    ['script-src ftp://search.example', ['script-src']],
    ["script-src 'strict-dynamic' https:", ['script-src']],
    ["script-src 'none'; script-src https:", ['script-src']],
    ['SCRIPT-SRC HTTPS:', []],
    ['sandbox allow-forms', ['sandbox']],
    ['sandbox allow-scripts', []],
    ["script-src 'self', script-src https:", ['script-src']],
    [';;;,,,', []],
  ])('%p: %p', (policy, blocking) => {
    expect(listBlocking([policy], embedding()) as string[]).toEqual(blocking)
  })

  test('a nonce of the tag counts, also with strict-dynamic; another does not', () => {
    const policy = ["script-src 'nonce-abc' 'strict-dynamic'; connect-src https:; img-src https:"]
    expect(listBlocking(policy, embedding({ nonce: 'abc' }))).toEqual([])
    expect(listBlocking(policy, embedding({ nonce: 'abd' }))).toEqual(['script-src'])
    expect(listBlocking(policy, embedding())).toEqual(['script-src'])
  })

  test("'self' is the service where the shop has its origin", () => {
    const same = { page: new URL('https://search.example/shop') }
    expect(listBlocking(["default-src 'self'"], embedding(same))).toEqual([])
  })

  test('a service on a port, from a page over http', () => {
    const local = embedding({
      page: new URL('http://shop.example/'),
      script: new URL('http://search.example:8080/widget.js'),
    })
    expect(listBlocking(['script-src search.example:8080'], local)).toEqual([])
    expect(listBlocking(['script-src search.example'], local)).toEqual(['script-src'])
    expect(listBlocking(['script-src https:'], local)).toEqual(['script-src'])
  })

  test('reads a bounded part of all policies together', () => {
    const ofSource = (source: string) => [`img-src ${'*.a '.repeat(5_000)}`, `script-src ${source}`]
    expect(listBlocking(ofSource("'none'"), embedding())).toEqual(['script-src', 'img-src'])
    const long = Array.from({ length: 2 }, () => `img-src ${'*.a '.repeat(5_000)}`)
    expect(listBlocking([...long, "script-src 'none'"], embedding())).toEqual(['img-src'])
  })

  test('every policy must allow it', () => {
    expect(listBlocking(['script-src https:', "script-src 'self'"], embedding())).toEqual(['script-src'])
  })
})
