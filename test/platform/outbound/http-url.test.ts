import { describe, expect, test } from 'bun:test'
import { findRedirectTarget, parseHttpUrl } from '../../../src/platform/outbound/http-url.ts'

describe('parseHttpUrl', () => {
  test('accepts an address of exactly the longest length and refuses one more', () => {
    const longest = `https://cdn.example.com/${'a'.repeat(2048 - 24)}`
    expect(parseHttpUrl(longest, 2048).href).toBe(longest)
    expect(() => parseHttpUrl(`${longest}a`, 2048)).toThrow('longer than 2048')
  })

  test.each([
    ['HTTPS://Example.COM/a b.jpg', 'https://example.com/a%20b.jpg'],
    ['  http://example.com/a.jpg ', 'http://example.com/a.jpg'],
    ['https://münchen.example/bild.jpg', 'https://xn--mnchen-3ya.example/bild.jpg'],
    [
      'https://cdn.example.com/@2x/a@2x.jpg?v=1&mail=a@b#top',
      'https://cdn.example.com/@2x/a@2x.jpg?v=1&mail=a@b#top',
    ],
    ['http://example.com:80/a', 'http://example.com/a'],
    ['https://example.com?size=1', 'https://example.com/?size=1'],
  ])('reads %j as a browser does', (text, href) => {
    expect(parseHttpUrl(text, 2048).href).toBe(href)
  })
})

describe('findRedirectTarget', () => {
  const find = (from: string, location: string | undefined) =>
    findRedirectTarget(new URL(from), location, 2048)?.href

  test.each([
    ['/b.png', 'https://a.example/b.png'],
    ['//b.example/c', 'https://b.example/c'],
    [Buffer.from('/größe.png').toString('latin1'), 'https://a.example/gr%C3%B6%C3%9Fe.png'],
  ])('resolves %j against the URL it came from', (location, href) => {
    expect(find('https://a.example/a', location)).toBe(href)
  })

  test.each([undefined, '', 'http://'])('%j leads nowhere', (location) => {
    expect(find('https://a.example/a', location)).toBeUndefined()
  })

  test.each(['http://a.example/a', 'ftp://a.example/a', 'https://me@a.example/', 'data:,x'])(
    'refuses %s as a blocked address',
    (location) => {
      expect(() => find('https://a.example/a', location)).toThrow(
        expect.objectContaining({ reason: 'blocked_address' }),
      )
    },
  )

  test('may go from http to https', () => {
    expect(find('http://a.example/a', 'https://a.example/a')).toBe('https://a.example/a')
  })
})
