import { describe, expect, test } from 'bun:test'
import { parseSmtpUrl } from '../../../src/platform/mail/smtp-url.ts'

describe('SMTP_URL', () => {
  test.each([
    ['smtp://mail.test', { host: 'mail.test', port: 587, isTls: false, auth: undefined }],
    ['smtps://mail.test/', { host: 'mail.test', port: 465, isTls: true, auth: undefined }],
    ['smtp://[::1]:25', { host: '::1', port: 25, isTls: false, auth: undefined }],
    [
      'smtps://me%40shop.test:p%3Aw%25@mail.test:2465',
      { host: 'mail.test', port: 2465, isTls: true, auth: { user: 'me@shop.test', pass: 'p:w%' } },
    ],
  ])('%s', (text, server) => {
    expect(parseSmtpUrl(text)).toEqual(server)
  })

  test.each([
    '',
    'mail.test',
    'http://mail.test',
    'smtp://',
    'smtp://me:hunter2@',
    'smtp://mail.test/path',
    'smtp://me:hunter2@mail.test?x=1',
    'smtp://me:hunter2@mail.test#x',
    'smtp://me:hunter2%@mail.test',
    'smtp://mail.test:99999',
  ])('%p is refused, and its password is not repeated', (text) => {
    expect(() => parseSmtpUrl(text)).toThrow(/^(must be a URL like|has a user name or password)/)
    expect(() => parseSmtpUrl(text)).not.toThrow(/hunter2/)
  })
})
