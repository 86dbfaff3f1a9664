import { describe, expect, test } from 'bun:test'
import { EMAIL_SHAPE, findEmailFault, normaliseEmail } from '../../src/core/email.ts'

const SHAPE = new RegExp(EMAIL_SHAPE)

describe('one address has one form', () => {
  test.each([
    ['anna@shop.test', 'anna@shop.test'],
    ['  Anna@Shop.TEST ', 'anna@shop.test'],
    ['anna+tag@sub.shop.test', 'anna+tag@sub.shop.test'],
    // NFKC: full-width letters and ligatures are the letters they stand for.
    ['ａｎｎａ＠ｓｈｏｐ.test', 'anna@shop.test'],
    ['oﬃce@shop.test', 'office@shop.test'],
    // One domain in letters and in punycode, with an invisible hyphen, with another full stop.
    ['a@bücher.example', 'a@xn--bcher-kva.example'],
    ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['a@bu\u0308cher.example', 'a@xn--bcher-kva.example'],
    ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
    ['a@sh\u00adop.test', 'a@shop.test'],
    ['a@shop。test', 'a@shop.test'],
    [`${'a'.repeat(64)}@shop.test`, `${'a'.repeat(64)}@shop.test`],
  ])('%p is %p', (text, address) => {
    expect(text).toMatch(SHAPE)
    expect(normaliseEmail(text)).toBe(address)
    expect(normaliseEmail(address)).toBe(address)
  })

  test('a domain that only looks like another is another', () => {
    expect(normaliseEmail('a@\u0430pple.com')).toBe('a@xn--pple-43d.com')
  })
})

describe('the shape that schemas ask for', () => {
  test('refuses no character that could be the @ of an address or stand beside one', () => {
    const refused: string[] = []
    for (let point = 0; point <= 0xffff; point++) {
      const letter = String.fromCharCode(point)
      for (const text of [
        `a${letter}b.test`,
        `${letter}a@b.test`,
        `a@b${letter}b.test`,
        `a@b.test${letter}`,
      ]) {
        if (normaliseEmail(text) !== undefined && !SHAPE.test(text)) refused.push(text)
      }
    }
    expect(refused).toEqual([])
  })

  test.each(['', 'a', 'a@', '@b.test', 'a b@shop.test', 'a@b@shop.test', 'a@b.test\nx', 'Anna <a@b.test>'])(
    'is not that of %p',
    (text) => expect(text).not.toMatch(SHAPE),
  )
})

describe('no addresses', () => {
  test.each([
    '',
    'a',
    'a@',
    '@b.test',
    'a@b',
    'a b@shop.test',
    'a@b@shop.test',
    'a@shop.test.',
    'a@.test',
    'a@shop..test',
    'a@-shop.test',
    'a@shop-.test',
    'a\n@shop.test',
    'a@shop.test\r\nBcc: b@shop.test',
    'a\u0000@shop.test',
    'a,b@shop.test',
    '"a b"@shop.test',
    'Anna <a@shop.test>',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a@1.2.3.4.',
    'a@shop.test/x',
    'a@shop.test:25',
    'a@shop%2etest',
    'a@shop_.test',
    `${'a'.repeat(65)}@shop.test`,
    `a@${`${'b'.repeat(60)}.`.repeat(4)}${'c'.repeat(20)}.test`,
  ])('%p', (text) => {
    expect(normaliseEmail(text)).toBeUndefined()
  })

  test.each([
    '\u0430nna@shop.test',
    'éva@shop.test',
    'e\u0301va@shop.test',
    '日本@shop.test',
    'a\u200b@shop.test',
  ])('%p: letters that could pass for others', (text) => {
    expect(normaliseEmail(text)).toBeUndefined()
  })
})

test.each([
  ['anna', 'must be a mail address like anna@shop.example'],
  ['anna@', 'must be a mail address like anna@shop.example'],
  [
    'änna@shop.example',
    'must be a mail address like anna@shop.example, with no letters outside a-z before the @',
  ],
])('what is wrong with %s is told in fitting words', (text, fault) => {
  expect(findEmailFault(text)).toBe(fault)
})
