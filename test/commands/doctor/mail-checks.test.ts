import { afterAll, beforeAll, expect, test } from 'bun:test'
import { checkMail } from '../../../src/commands/doctor/mail-checks.ts'
import { createEgress } from '../../../src/platform/outbound/egress.ts'
import { mailServer } from '../../platform/mail/mail-server.ts'

const egress = createEgress({ allowCidrs: [], isOffline: false })
let server: Awaited<ReturnType<typeof mailServer>>
let settings: Parameters<typeof checkMail>[0]

beforeAll(async () => {
  server = await mailServer()
  settings = {
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'me@shop.example',
    BASE_URL: 'https://a.example',
  }
})
afterAll(() => server.close())

test('without a recipient it signs in, and sends nothing', async () => {
  expect(await checkMail(settings, egress)).toMatchObject({
    state: 'ok',
    text: 'The mail server takes mails',
  })
  expect(server.mails).toEqual([])
})

test('a test mail says where it comes from', async () => {
  expect(await checkMail(settings, egress, 'you@shop.example')).toMatchObject({
    state: 'ok',
    text: expect.stringContaining('took a mail to you@shop.example'),
  })
  const [mail] = server.mails.splice(0)
  expect(mail).toMatchObject({ from: 'me@shop.example', to: ['you@shop.example'] })
  expect(mail?.source).toContain('https://a.example')
})

test.each([
  ['nobody@shop.example', 'MAIL_FROM and the recipient'],
  ['not an address', 'MAIL_FROM and the recipient'],
  ['a@b.example\r\nBcc: c@d.example', 'MAIL_FROM and the recipient'],
])('a recipient that is refused: %j', async (to, cure) => {
  expect(await checkMail(settings, egress, to)).toMatchObject({
    state: 'error',
    text: expect.stringContaining('(refused)'),
    cure: expect.stringContaining(cure),
  })
  expect(server.mails).toEqual([])
})

test('a wrong password names the setting that holds it', async () => {
  const SMTP_URL = `smtp://me:wrong@127.0.0.1:${server.port}`
  const check = await checkMail({ ...settings, SMTP_URL }, egress)
  expect(check).toMatchObject({ state: 'error', cure: 'Check user and password in SMTP_URL' })
  expect(check.text).not.toContain('wrong@')
})

test('a test mail where no mail server is set is an error; without one, it is not', async () => {
  const none = { ...settings, SMTP_URL: '' }
  expect(await checkMail(none, egress, 'you@shop.example')).toMatchObject({ name: 'mail', state: 'error' })
  expect(await checkMail(none, egress)).toMatchObject({ name: 'mail', state: 'ok' })
})
