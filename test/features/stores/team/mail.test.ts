import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createMailer } from '../../../../src/platform/mail/mailer.ts'
import { createEgress } from '../../../../src/platform/outbound/egress.ts'
import { mailServer } from '../../../platform/mail/mail-server.ts'
import type { TestApp } from '../../../support/app.ts'
import { proxiedApp } from '../../../support/people.ts'
import { readColumn } from '../../../support/seed.ts'
import { accept, afterAnswers, newcomer, type Somebody, somebody, tokenOf } from './team.ts'

let server: Awaited<ReturnType<typeof mailServer>>
let app: TestApp
let owner: Somebody

beforeEach(async () => {
  server = await mailServer()
  app = proxiedApp({
    mailer: createMailer({
      smtpUrl: `smtp://127.0.0.1:${server.port}`,
      from: 'Lookalike <service@shop.test>',
      egress: createEgress({ allowCidrs: [], isOffline: false, lookup: async () => ['127.0.0.1'] }),
    }),
  })
  await app.store('one')
  owner = await somebody(app, 'owner', { one: 'owner' })
})
afterEach(async () => {
  await app.close()
  await server.close()
})

const invite = (email: string) => owner.send('POST', '/v1/team/invite', { email, role: 'developer' })

/** The text of a mail, with soft line breaks and quoted characters undone. */
const textOf = ({ source }: { source: string }): string =>
  source
    .replaceAll('\r\n', '\n')
    .replaceAll('=\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

test('an invitation leaves through SMTP: email_sent is true, the answer has no link, and the mailed one works', async () => {
  const { body } = await invite('nora@shop.test')
  expect([body['email_sent'], body['accept_url']]).toEqual([true, undefined])
  const [mail] = server.mails
  expect(server.mails).toHaveLength(1)
  expect(mail).toMatchObject({ from: 'service@shop.test', to: ['nora@shop.test'] })
  const text = textOf(mail ?? { source: '' })
  expect(text).toMatch(/^Subject: You are invited to the store one$/m)
  expect(text).toContain('as a developer')
  const token = tokenOf(/^http:\/\/lookalike\.test\/invite#token=[\w-]+$/m.exec(text)?.[0])
  expect((await accept(app, newcomer(token))).status).toBe(200)
  expect(app.outbox.list()).toEqual([])
})

test('a mail server that refuses the address: email_sent is false, and the inviter gets the link', async () => {
  const { status, body } = await invite('nobody@shop.test')
  expect([status, body['email_sent']]).toEqual([201, false])
  expect(server.mails).toEqual([])
  expect(app.outbox.list()).toMatchObject([{ recipient: 'nobody@shop.test', attempts: 1 }])
  // Whoever saw the link may be no owner of the mailbox.
  expect((await accept(app, newcomer(tokenOf(body['accept_url'])))).status).toBe(200)
  expect(readColumn(app, 'users', 'proven_at', { email: 'nobody@shop.test' })).toEqual([null])
})

test('a mail server that is down: the mail waits, and the link in it still works when it comes', async () => {
  await server.close()
  const { body } = await invite('nora@shop.test')
  expect(body['email_sent']).toBe(false)
  const [waiting] = app.outbox.list()
  expect(waiting?.text).toContain(String(body['accept_url']))
  server = await mailServer()
})

test('the mail about a new account arrives after the answer', async () => {
  const user = { email: 'nora@shop.test', password: 'seven green bottles', full_name: 'Nora' }
  expect((await owner.send('POST', '/v1/users', user)).status).toBe(201)
  expect(server.mails).toEqual([])
  await afterAnswers(app)
  expect(server.mails).toMatchObject([{ to: ['nora@shop.test'] }])
  expect(textOf(server.mails[0] ?? { source: '' })).toMatch(
    /^http:\/\/lookalike\.test\/oauth\/password\/reset#token=/m,
  )
})
