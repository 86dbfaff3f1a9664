import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { checkSignature } from '../../src/browser/portal/pages/webhooks/check-signature.ts'

const BODY = '{"type":"product.indexed","data":{"product_id":"Tasse-ä"}}'
const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
const KEY = Buffer.from('0123456789abcdef0123456789abcdef')

const plain = (key: string | Buffer, body = BODY) =>
  `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
const standard = (key: string | Buffer, { id = 'msg_1', at = '1893456000', body = BODY } = {}) =>
  `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`
const ABOUT = 'Webhook-Id: msg_1\nwebhook-timestamp: 1893456000\n'

const check = (headers: string, body = BODY, secret = SECRET) => checkSignature({ body, headers, secret })

describe('a signature that fits', () => {
  test.each([
    ['a header', `X-Webhook-Signature: ${plain(SECRET)}`, 'x-webhook-signature'],
    ['its value alone', plain(SECRET), 'x-webhook-signature'],
    ['a line of JSON', `  "x-webhook-signature": "${plain(SECRET)}",`, 'x-webhook-signature'],
    ['capitals', `X-WEBHOOK-SIGNATURE: ${plain(SECRET).toUpperCase()}`, 'x-webhook-signature'],
    ['the next secret', `X-Webhook-Signature-Next: ${plain(SECRET)}`, 'x-webhook-signature-next'],
    ['the standard header', `${ABOUT}Webhook-Signature: ${standard(KEY)}`, 'webhook-signature'],
    ['one of several', `${ABOUT}Webhook-Signature: v1,AAAA ${standard(KEY)}`, 'webhook-signature'],
  ])('is found in %s', async (_, headers, header) => {
    expect(await check(headers)).toEqual({ isValid: true, header })
  })

  test('is found with spaces around the secret, and with a secret of another form', async () => {
    expect(await check(plain(SECRET), BODY, ` ${SECRET}\n`)).toMatchObject({ isValid: true })
    expect(await check(plain('my own secret'), BODY, 'my own secret')).toMatchObject({ isValid: true })
  })
})

describe('a signature that does not fit', () => {
  test.each([
    ['nothing is signed', 'Content-Type: application/json', 'no_signature'],
    ['the standard header stands alone', `Webhook-Signature: ${standard(KEY)}`, 'no_id'],
    ['the time is another', `${ABOUT}Webhook-Signature: ${standard(KEY, { at: '1' })}`, 'other'],
    ['the message is another', `${ABOUT}Webhook-Signature: ${standard(KEY, { id: 'msg_2' })}`, 'other'],
    ['the secret is another', plain('another'), 'other'],
    ['only its beginning is there', plain(SECRET).slice(0, -2), 'other'],
  ])('because %s', async (_, headers, reason) => {
    expect(await check(headers)).toEqual({ isValid: false, reason } as never)
  })

  test('says what was done to the body', async () => {
    expect(await check(plain(SECRET), `${BODY}\n`)).toEqual({ isValid: false, reason: 'white_space' })
    const indented = JSON.stringify(JSON.parse(BODY), null, 2)
    expect(await check(plain(SECRET), indented)).toEqual({ isValid: false, reason: 'rewritten' })
    expect(await check(plain(SECRET), BODY.replace('ä', 'b'))).toEqual({ isValid: false, reason: 'other' })
  })
})

test('a secret that is empty, or no base64 behind its prefix, is a wrong one', async () => {
  for (const secret of ['', 'whsec_abc', 'whsec_===='])
    expect(await check(plain(SECRET), BODY, secret)).toEqual({ isValid: false, reason: 'other' })
})
