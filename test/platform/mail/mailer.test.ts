import { afterEach, describe, expect, test } from 'bun:test'
import { parseCidrs } from '../../../src/core/networks.ts'
import { createMailer, MailError, type MailerOptions } from '../../../src/platform/mail/mailer.ts'
import { createEgress, type EgressOptions } from '../../../src/platform/outbound/egress.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../pictures/certificate.ts'
import { mailServer, silentServer } from './mail-server.ts'

const MAIL = { to: 'anna@shop.test', subject: 'Your link', text: 'Open https://shop.test/x?y=1\n\nGrüße\n' }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function started(...options: Parameters<typeof mailServer>) {
  const server = await mailServer(...options)
  closing.push(server.close)
  return server
}

const mailer = (smtpUrl: string, options: Partial<MailerOptions & EgressOptions> = {}) =>
  createMailer({
    smtpUrl,
    from: 'Lookalike <service@shop.test>',
    egress: createEgress({
      allowCidrs: [],
      isOffline: false,
      // Names end in .test, which no name server knows.
      lookup: async () => ['127.0.0.1'],
      ...options,
    }),
    ...options,
  })

async function failure(work: Promise<void>): Promise<MailError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(MailError)
  return error as MailError
}

describe('a mail', () => {
  test('arrives as plain text with its sender, recipient and subject', async () => {
    const server = await started()
    await mailer(`smtp://127.0.0.1:${server.port}`).send(MAIL)
    const [received] = server.mails
    expect(server.mails).toHaveLength(1)
    expect(received).toMatchObject({ from: 'service@shop.test', to: ['anna@shop.test'], user: undefined })
    const [head = '', body = ''] = received?.source.split('\r\n\r\n', 2) ?? []
    expect(head).toMatch(/^From: Lookalike <service@shop\.test>\r?$/m)
    expect(head).toMatch(/^To: anna@shop\.test\r?$/m)
    expect(head).toMatch(/^Subject: Your link\r?$/m)
    expect(head).toMatch(/^Content-Type: text\/plain; charset=utf-8\r?$/m)
    expect(body).toContain('Open https://shop.test/x?y')
  })

  test('may be a page, too, and say in its head how it ends', async () => {
    const server = await started()
    const unsubscribeUrl = `https://shop.test/unsubscribe?token=${'x'.repeat(150)}`
    await mailer(`smtp://127.0.0.1:${server.port}`).send({ ...MAIL, html: '<b>Grüße</b>', unsubscribeUrl })
    const source = server.mails[0]?.source ?? ''
    expect(source).toMatch(/^Content-Type: multipart\/alternative;/m)
    expect(source).toContain(`List-Unsubscribe: <${unsubscribeUrl}>\r\n`)
    expect(source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n')
    expect(source).toContain('<b>Gr=C3=BC=C3=9Fe</b>')
  })

  test.each(['https://shop.test/\r\nBcc: eve@evil.test', 'https://shop.test/> <https://evil.test/'])(
    'is refused with an address to end it that would write into its head: %p',
    async (unsubscribeUrl) => {
      const error = await failure(mailer('smtp://127.0.0.1:1').send({ ...MAIL, unsubscribeUrl }))
      expect(error.reason).toBe('refused')
    },
  )

  test('is sent by the user of the address', async () => {
    const server = await started()
    await mailer(`smtp://me:secret@127.0.0.1:${server.port}`).send(MAIL)
    expect(server.mails[0]?.user).toBe('me')
  })

  test('is not sent unsigned in when the password is wrong, or when the server does not offer to sign in', async () => {
    const server = await started()
    const wrong = await failure(mailer(`smtp://me:wrong@127.0.0.1:${server.port}`).send(MAIL))
    expect(wrong.reason).toBe('auth')
    const mute = await started({ disabledCommands: ['STARTTLS', 'AUTH'] })
    const unknown = await failure(mailer(`smtp://me:secret@127.0.0.1:${mute.port}`).send(MAIL))
    expect(unknown.reason).toBe('auth')
    for (const { message } of [wrong, unknown]) expect(message).not.toMatch(/wrong$|secret/)
    expect([...server.mails, ...mute.mails]).toEqual([])
  })

  test('to a person whom the server does not know is refused', async () => {
    const server = await started()
    const { reason, message } = await failure(
      mailer(`smtp://127.0.0.1:${server.port}`).send({ ...MAIL, to: 'nobody@shop.test' }),
    )
    expect(reason).toBe('refused')
    expect(message).toContain('No such person')
    expect(server.mails).toEqual([])
  })
})

describe('headers cannot be smuggled in', () => {
  test.each([
    { to: 'a@shop.test\r\nBcc: b@shop.test' },
    { to: 'a@shop.test, b@shop.test' },
    { to: 'a@shop.test;b@shop.test' },
    { to: 'Anna <a@shop.test>' },
    { to: 'a b@shop.test' },
    { to: 'a@b@shop.test' },
    { to: 'a@shop.test>' },
    { to: 'friends: a@shop.test;' },
    { to: '"a\u0000"@shop.test' },
    { to: 'anna' },
    { to: '' },
    { to: `${'a'.repeat(250)}@shop.test` },
    { subject: 'Hello\r\nBcc: b@shop.test' },
    { subject: 'Hello\nthere' },
    { subject: 'x'.repeat(201) },
  ])('%j is refused before anything is connected', async (fault) => {
    const server = await started()
    const { reason } = await failure(mailer(`smtp://127.0.0.1:${server.port}`).send({ ...MAIL, ...fault }))
    expect(reason).toBe('refused')
    expect(server.connections()).toBe(0)
  })
})

describe('TLS', () => {
  const tls = { key: CERTIFICATE_KEY, cert: CERTIFICATE }

  test('smtps speaks it from the first byte', async () => {
    const server = await started({ ...tls, secure: true })
    await mailer(`smtps://pictures.test:${server.port}`, { ca: CERTIFICATE }).send(MAIL)
    expect(server.mails[0]?.isSecure).toBe(true)
  })

  test('smtp takes it when the server offers it', async () => {
    const server = await started({ ...tls, disabledCommands: [] })
    await mailer(`smtp://pictures.test:${server.port}`, { ca: CERTIFICATE }).send(MAIL)
    expect(server.mails[0]?.isSecure).toBe(true)
  })

  test.each([
    ['smtps', 'nobody trusts', 'pictures.test', undefined],
    ['smtps', 'names another host', 'mail.test', CERTIFICATE],
    ['smtp', 'nobody trusts', 'pictures.test', undefined],
    ['smtp', 'names another host', 'mail.test', CERTIFICATE],
  ])('%s: a certificate that %s is refused', async (scheme, _, host, ca) => {
    const server = await started({ ...tls, secure: scheme === 'smtps', disabledCommands: [] })
    const { reason } = await failure(
      mailer(`${scheme}://${host}:${server.port}`, ca ? { ca } : {}).send(MAIL),
    )
    expect(reason).toBe('tls')
    expect(server.mails).toEqual([])
  })

  test('a server that needs it and does not offer it gets nothing', async () => {
    const server = await started()
    const asked: string[] = []
    const strict = mailer(`smtp://mail.test:${server.port}`, {
      isTlsNeeded: (address) => asked.push(address) > 0,
    })
    expect((await failure(strict.send(MAIL))).reason).toBe('tls')
    expect(asked).toEqual(['127.0.0.1'])
    expect(server.mails).toEqual([])
  })
})

describe('a mail that gets no further', () => {
  const limits = { connectMs: 300, totalMs: 300 }

  test('ends in time when the server never speaks', async () => {
    const server = await silentServer()
    closing.push(server.close)
    for (const scheme of ['smtp', 'smtps']) {
      const { reason } = await failure(mailer(`${scheme}://127.0.0.1:${server.port}`, { limits }).send(MAIL))
      expect(reason).toBe('timeout')
    }
  })

  test('ends in time when the server stops in the middle', async () => {
    const server = await started({ onData: () => undefined })
    const { reason } = await failure(mailer(`smtp://127.0.0.1:${server.port}`, { limits }).send(MAIL))
    expect(reason).toBe('timeout')
  })

  test('ends at once when the service stops: before the name is found, while the server is silent, and afterwards', async () => {
    const server = await silentServer()
    closing.push(server.close)
    const stop = new AbortController()
    const lookup = () => new Promise<string[]>(() => undefined)
    const sends = [
      mailer('smtp://mail.test', { lookup, stop: stop.signal }).send(MAIL),
      mailer(`smtp://127.0.0.1:${server.port}`, { stop: stop.signal }).send(MAIL),
      mailer(`smtps://127.0.0.1:${server.port}`, { stop: stop.signal }).send(MAIL),
    ]
    setTimeout(() => stop.abort(), 50)
    for (const send of sends) expect((await failure(send)).reason).toBe('stopped')
    const late = mailer(`smtp://127.0.0.1:${server.port}`, { stop: stop.signal })
    expect((await failure(late.send(MAIL))).reason).toBe('stopped')
  })

  test('ends in time when the name is never found', async () => {
    const lookup = () => new Promise<string[]>(() => undefined)
    const { reason } = await failure(mailer('smtp://mail.test', { limits, lookup }).send(MAIL))
    expect(reason).toBe('timeout')
  })

  test.each([
    ['a name that nobody knows', async () => Promise.reject(new Error('ENOTFOUND')), 'dns'],
    ['a name without an address', async () => [], 'connect'],
  ])('%s', async (_, lookup, expected) => {
    expect((await failure(mailer('smtp://mail.test', { lookup }).send(MAIL))).reason).toBe(expected as never)
  })

  test('a port where nobody listens', async () => {
    const server = await mailServer()
    await server.close()
    expect((await failure(mailer(`smtp://127.0.0.1:${server.port}`).send(MAIL))).reason).toBe('connect')
  })

  test('without a mail server', async () => {
    const none = mailer('')
    expect(none.isConfigured).toBe(false)
    expect((await failure(none.send(MAIL))).reason).toBe('unconfigured')
  })
})

describe('OFFLINE', () => {
  test('connects to nobody, and looks no name up', async () => {
    const server = await started()
    const looked: string[] = []
    const lookup = async (host: string) => {
      looked.push(host)
      return ['127.0.0.1']
    }
    for (const host of ['127.0.0.1', 'mail.test', 'localhost']) {
      const offline = mailer(`smtp://${host}:${server.port}`, { isOffline: true, lookup })
      expect(offline.isConfigured).toBe(true)
      expect((await failure(offline.send(MAIL))).reason).toBe('blocked')
    }
    expect(looked).toEqual([])
    expect(server.connections()).toBe(0)
  })

  test('connects into the networks of FETCH_ALLOW_CIDRS, by address and by name', async () => {
    const server = await started()
    const allowCidrs = parseCidrs('127.0.0.0/8')
    for (const host of ['127.0.0.1', 'mail.test']) {
      await mailer(`smtp://${host}:${server.port}`, { isOffline: true, allowCidrs }).send(MAIL)
    }
    expect(server.mails).toHaveLength(2)
  })

  test('one address outside of them refuses the whole name', async () => {
    const server = await started()
    const lookup = async () => ['127.0.0.1', '203.0.113.5']
    const { reason } = await failure(
      mailer(`smtp://mail.test:${server.port}`, {
        isOffline: true,
        allowCidrs: parseCidrs('127.0.0.0/8'),
        lookup,
      }).send(MAIL),
    )
    expect(reason).toBe('blocked')
    expect(server.connections()).toBe(0)
  })

  test('online a private address of the operator’s own is fine', async () => {
    const server = await started()
    await mailer(`smtp://127.0.0.1:${server.port}`).send(MAIL)
    expect(server.mails).toHaveLength(1)
  })
})
