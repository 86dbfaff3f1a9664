import { afterEach, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '../../../../src/core/clock.ts'
import { createCourier } from '../../../../src/features/mail/outbox/courier.ts'
import { outboxQueries } from '../../../../src/features/mail/outbox/queries.ts'
import { outboxService } from '../../../../src/features/mail/outbox/service.ts'
import { createMailTexts } from '../../../../src/features/mail/outbox/texts.ts'
import type { Db } from '../../../../src/platform/db/open.ts'
import { createMailer, type Mail, MailError, type Mailer } from '../../../../src/platform/mail/mailer.ts'
import { createEgress } from '../../../../src/platform/outbound/egress.ts'
import { createSecretBox } from '../../../../src/platform/secret-box.ts'
import { mailServer } from '../../../platform/mail/mail-server.ts'
import { countingIds, manualClock } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'

const MAIL: Mail = {
  to: 'anna@shop.test',
  subject: 'Your link',
  text: 'https://shop.test/x?token=canary-canary',
}
const MINUTE = 60_000

const dbs: Db[] = []
afterEach(() => {
  for (const db of dbs.splice(0)) db.close()
})

/** An outbox with a mail server that does what `send` says. */
function outboxWith(
  send: Mailer['send'] | undefined,
  db = memoryDatabase(),
  secret = 's'.repeat(32),
  rests = (): boolean => false,
) {
  dbs.push(db)
  const clock = manualClock('2030-01-01T00:00:00Z')
  const ids = countingIds()
  const warnings: Record<string, unknown>[] = []
  const deferred: (() => unknown)[] = []
  const runDeferred = () => Promise.all(deferred.splice(0).map((work) => work()))
  const mailer: Mailer = send ? { isConfigured: true, send } : createMailer(NO_SERVER)
  const queries = outboxQueries(db)
  const texts = createMailTexts(
    createSecretBox(secret, { secret: (size) => Buffer.alloc(size, clock.now()).toString('base64url') }),
  )
  const log = { warn: (fields: Record<string, unknown>) => void warnings.push(fields) }
  const courier = createCourier({ queries, mailer, texts, clock, log, gate: { rests } })
  const defer = (work: () => unknown) => void deferred.push(work)
  const outbox = outboxService({ queries, mailer, texts, courier, clock, ids, defer, log })
  const rows = () => outbox.list().map(({ recipient }) => recipient)
  return { outbox, clock, db, warnings, rows, runDeferred }
}

const NO_SERVER = {
  smtpUrl: '',
  from: '',
  egress: createEgress({ allowCidrs: [], isOffline: false }),
}

describe('without a mail server', () => {
  test('a mail stays and can be read, oldest first', async () => {
    const { outbox, clock } = outboxWith(undefined)
    expect(await outbox.post(MAIL)).toBe(false)
    clock.advance(1)
    expect(await outbox.post({ ...MAIL, to: 'bert@shop.test' })).toBe(false)
    expect(outbox.isConfigured).toBe(false)
    expect(await outbox.retryDue()).toBe(0)
    expect(outbox.list()).toEqual([
      {
        id: expect.any(String),
        recipient: 'anna@shop.test',
        subject: 'Your link',
        created_at: '2030-01-01T00:00:00.000Z',
        text: MAIL.text,
        attempts: 0,
        next_attempt_at: '2030-01-01T00:00:00.000Z',
        last_error: null,
      },
      expect.objectContaining({ recipient: 'bert@shop.test' }),
    ])
  })

  test('a service that has one sends it at its next look', async () => {
    const db = memoryDatabase()
    await outboxWith(undefined, db).outbox.post(MAIL)
    const sent: Mail[] = []
    const { outbox, rows } = outboxWith(async (mail) => void sent.push(mail), db)
    expect(await outbox.retryDue()).toBe(1)
    expect(sent).toEqual([MAIL])
    expect(rows()).toEqual([])
  })
})

test('nothing is sent while another node may undo what the mail tells', async () => {
  const sent: Mail[] = []
  let rests = true
  const { outbox, clock, rows, runDeferred } = outboxWith(
    async (mail) => void sent.push(mail),
    memoryDatabase(),
    's'.repeat(32),
    () => rests,
  )
  expect(await outbox.post(MAIL)).toBe(false)
  await runDeferred()
  expect(await outbox.retryDue()).toBe(0)
  expect(sent).toEqual([])
  expect(rows()).toEqual([MAIL.to])
  rests = false
  clock.advance(HOUR_MS)
  expect(await outbox.retryDue()).toBe(1)
  expect(sent).toEqual([MAIL])
})

describe('mails that go out after the commit', () => {
  const BERT: Mail = { ...MAIL, to: 'bert@shop.test' }

  test('are stored by the transaction, and sent once it is over', async () => {
    const sent: string[] = []
    const { outbox, db, rows, runDeferred } = outboxWith(async ({ to }) => void sent.push(to))
    db.transaction(() => outbox.sendAfterCommit([MAIL, BERT]))()
    expect(rows()).toEqual([MAIL.to, BERT.to])
    expect(sent).toEqual([])
    await runDeferred()
    expect(sent.sort()).toEqual([MAIL.to, BERT.to])
    expect(rows()).toEqual([])
  })

  test('are gone with a transaction that fails', async () => {
    const sent: string[] = []
    const { outbox, db, runDeferred } = outboxWith(async ({ to }) => void sent.push(to))
    const failing = db.transaction(() => {
      outbox.sendAfterCommit([MAIL])
      throw new Error('undone')
    })
    expect(failing).toThrow('undone')
    await runDeferred()
    expect(sent).toEqual([])
  })

  test('stay one by one where the server refuses them', async () => {
    const { outbox, rows, runDeferred } = outboxWith(async ({ to }) => {
      if (to === MAIL.to) throw new MailError('refused', 'no such mailbox')
    })
    outbox.sendAfterCommit([MAIL, BERT])
    await runDeferred()
    expect(rows()).toEqual([MAIL.to])
  })

  test('no mails ask for no work', () => {
    const { outbox, rows } = outboxWith(async () => {})
    outbox.sendAfterCommit([])
    expect(rows()).toEqual([])
  })
})

describe('the text', () => {
  test('stands encrypted in the database', async () => {
    const { outbox, db } = outboxWith(undefined)
    await outbox.post(MAIL)
    expect(db.serialize().toString('latin1')).not.toContain('canary')
    expect(db.serialize().toString('latin1')).toContain('anna@shop.test')
  })

  test('opens in its own row only, and with its own key only', async () => {
    const { outbox, db } = outboxWith(undefined)
    await outbox.post(MAIL)
    await outbox.post({ ...MAIL, to: 'bert@shop.test' })
    expect(
      outboxWith(undefined, db, 'x'.repeat(32))
        .outbox.list()
        .map(({ text }) => text),
    ).toEqual([null, null])
    db.exec(
      "UPDATE outbox SET sealed_text = (SELECT sealed_text FROM outbox WHERE recipient = 'anna@shop.test')",
    )
    expect(outbox.list().map(({ text }) => text)).toEqual([MAIL.text, null])
  })

  test('that no longer opens is never sent, and says why', async () => {
    const db = memoryDatabase()
    await outboxWith(undefined, db).outbox.post(MAIL)
    const sent: Mail[] = []
    const { outbox } = outboxWith(async (mail) => void sent.push(mail), db, 'x'.repeat(32))
    expect(await outbox.retryDue()).toBe(0)
    expect(sent).toEqual([])
    expect(outbox.list()[0]?.last_error).toContain('cannot be decrypted')
  })
})

describe('with a mail server', () => {
  test('a mail is delivered at once and leaves nothing behind', async () => {
    const server = await mailServer()
    const mailer = createMailer({
      ...NO_SERVER,
      smtpUrl: `smtp://127.0.0.1:${server.port}`,
      from: 'a@shop.test',
    })
    const { outbox, rows } = outboxWith(mailer.send)
    expect(await outbox.post(MAIL)).toBe(true)
    expect(server.mails.map(({ to }) => to)).toEqual([['anna@shop.test']])
    expect(rows()).toEqual([])
    await server.close()
  })

  test('a mail that fails stays with the error and is tried after 1, 5, 30 and 120 minutes, then every 6 hours', async () => {
    let attempts = 0
    const { outbox, clock, warnings } = outboxWith(async () => {
      attempts += 1
      throw new MailError('connect', `No\r\nconnection ${'!'.repeat(1000)}`)
    })
    expect(await outbox.post(MAIL)).toBe(false)
    for (const [n, minutes] of [1, 5, 30, 120, 360, 360, 360].entries()) {
      clock.advance(minutes * MINUTE - 1)
      await outbox.retryDue()
      expect(attempts).toBe(n + 1)
      clock.advance(1)
      await outbox.retryDue()
      expect(attempts).toBe(n + 2)
    }
    const [waiting] = outbox.list()
    expect(waiting).toMatchObject({ attempts: 8, text: MAIL.text })
    expect(waiting?.last_error).toStartWith('No connection !!!')
    expect(waiting?.last_error?.length).toBeLessThanOrEqual(300)
    expect(warnings[0]).toMatchObject({ reason: 'connect', attempts: 1 })
  })

  test('an unforeseen error is a failure of the service, not of the caller', async () => {
    const { outbox } = outboxWith(async () => {
      throw new TypeError('a bug')
    })
    expect(await outbox.post(MAIL)).toBe(false)
    expect(outbox.list()[0]?.last_error).toBe('a bug')
  })

  test('a mail is delivered by a later look, once', async () => {
    let isDown = true
    const sent: Mail[] = []
    const { outbox, clock, rows } = outboxWith(async (mail) => {
      if (isDown) throw new MailError('timeout', 'Too slow')
      sent.push(mail)
    })
    await outbox.post(MAIL)
    isDown = false
    clock.advance(MINUTE)
    expect(await outbox.retryDue()).toBe(1)
    expect(await outbox.retryDue()).toBe(0)
    expect(sent).toEqual([MAIL])
    expect(rows()).toEqual([])
  })

  test('a server that is down is not asked for every mail; a refused mail holds up no other', async () => {
    const asked: string[] = []
    let reason: 'connect' | 'refused' = 'connect'
    const { outbox, clock } = outboxWith(async ({ to }) => {
      asked.push(to)
      throw new MailError(reason, 'No')
    })
    for (const to of ['a@shop.test', 'b@shop.test', 'c@shop.test']) await outbox.post({ ...MAIL, to })
    asked.length = 0
    clock.advance(MINUTE)
    await outbox.retryDue()
    expect(asked).toEqual(['a@shop.test'])
    reason = 'refused'
    await outbox.retryDue()
    expect(asked).toEqual(['a@shop.test', 'b@shop.test', 'c@shop.test'])
  })

  test('a delivery that the end of the service cuts is no failure: the mail goes out after the next start', async () => {
    const db = memoryDatabase()
    const stopped = outboxWith(async () => {
      throw new MailError('stopped', 'The service stops')
    }, db)
    expect(await stopped.outbox.post(MAIL)).toBe(false)
    await stopped.outbox.post({ ...MAIL, to: 'bert@shop.test' })
    expect(stopped.outbox.list()[0]).toMatchObject({ attempts: 0, last_error: null })
    expect(stopped.warnings).toEqual([])
    const sent: string[] = []
    const { outbox, clock } = outboxWith(async ({ to }) => void sent.push(to), db)
    clock.advance(MINUTE)
    expect(await outbox.retryDue()).toBe(2)
    expect(sent).toEqual(['anna@shop.test', 'bert@shop.test'])
  })

  test('a mail whose row cannot be deleted is not sent again, and goes when the disk is well', async () => {
    const sent: Mail[] = []
    const { outbox, clock, db, rows, warnings } = outboxWith(async (mail) => void sent.push(mail))
    db.exec("CREATE TRIGGER full BEFORE DELETE ON outbox BEGIN SELECT RAISE(ABORT, 'full'); END")
    expect(await outbox.post(MAIL)).toBe(true)
    clock.advance(MINUTE)
    expect(await outbox.retryDue()).toBe(0)
    expect([sent.length, rows()]).toEqual([1, ['anna@shop.test']])
    expect(warnings[0]).toMatchObject({ err: { message: 'full' } })
    db.exec('DROP TRIGGER full')
    expect(await outbox.retryDue()).toBe(0)
    expect([sent.length, rows()]).toEqual([1, []])
  })

  test('a failure that cannot be written down is still only a failure of the mail', async () => {
    const { outbox, db, rows } = outboxWith(async () => {
      throw new MailError('connect', 'No')
    })
    db.exec("CREATE TRIGGER full BEFORE UPDATE ON outbox BEGIN SELECT RAISE(ABORT, 'full'); END")
    expect(await outbox.post(MAIL)).toBe(false)
    expect(rows()).toEqual(['anna@shop.test'])
  })

  test('looks that overlap, and a first attempt that takes long, send a mail once', async () => {
    const gate = Promise.withResolvers<void>()
    let attempts = 0
    const { outbox, clock } = outboxWith(async () => {
      attempts += 1
      await gate.promise
    })
    const posted = outbox.post(MAIL)
    clock.advance(10 * MINUTE)
    const looks = [outbox.retryDue(), outbox.retryDue()]
    gate.resolve()
    expect(await posted).toBe(true)
    await Promise.all(looks)
    expect(attempts).toBe(1)
  })
})

describe('limits', () => {
  test.each([
    ['30 days', undefined, 30 * 24 * 60 * MINUTE],
    ['the life of its link', 60 * MINUTE, 60 * MINUTE],
  ])('a mail is neither sent nor shown nor kept after %s', async (_, wantedMs, lifeMs) => {
    const db = memoryDatabase()
    const { outbox, clock, rows } = outboxWith(undefined, db)
    await outbox.post(MAIL, wantedMs === undefined ? {} : { wantedMs })
    const sender = outboxWith(async () => {
      throw new Error('must not be sent')
    }, db)
    clock.advance(lifeMs - 1)
    outbox.prune()
    expect(rows()).toEqual(['anna@shop.test'])
    clock.advance(1)
    sender.clock.advance(lifeMs)
    expect([rows(), await sender.outbox.retryDue(), sender.warnings]).toEqual([[], 0, []])
    outbox.prune()
    expect(db.prepare('SELECT id FROM outbox').all()).toEqual([])
  })

  test('of more than 10,000 mails the oldest give way', () => {
    const { outbox, db } = outboxWith(undefined)
    db.transaction(() => {
      for (let n = 0; n < 10_002; n++) outbox.write({ ...MAIL, to: `p${n}@shop.test` })
    })()
    const recipients = outbox.list().map(({ recipient }) => recipient)
    expect(recipients).toHaveLength(10_000)
    expect(recipients[0]).toBe('p2@shop.test')
  })

  test('mails that anybody can cause give way first, oldest first; others stay through any flood of those', () => {
    const { outbox, db, rows } = outboxWith(undefined)
    const write = (to: string, mayGiveWay: boolean) => outbox.write({ ...MAIL, to }, { mayGiveWay })
    const fill = (count: number, mayGiveWay: boolean) =>
      db.transaction(() => {
        for (let n = 0; n < count; n++) write(`p${n}@shop.test`, mayGiveWay)
      })()
    write('flood-first@shop.test', true)
    write('anna@shop.test', false)
    write('flood-second@shop.test', true)
    fill(9_997, true)
    write('bert@shop.test', false)
    expect([rows().length, ...rows().slice(0, 2)]).toEqual([
      10_000,
      'anna@shop.test',
      'flood-second@shop.test',
    ])
    fill(9_999, true)
    expect(rows().filter((to) => to === 'anna@shop.test' || to === 'bert@shop.test')).toHaveLength(2)
    // Only among their own kind are they the ones that go.
    fill(9_999, false)
    expect([rows().length, rows()[0]]).toEqual([10_000, 'bert@shop.test'])
  })

  test('mails that anybody can cause hold up no other', async () => {
    const sent: string[] = []
    let isDown = true
    const { outbox, clock } = outboxWith(async ({ to }) => {
      if (isDown) throw new MailError('connect', 'No')
      sent.push(to)
    })
    for (let n = 0; n < 60; n++) outbox.write({ ...MAIL, to: `p${n}@shop.test` }, { mayGiveWay: true })
    clock.advance(1)
    outbox.write(MAIL)
    isDown = false
    clock.advance(MINUTE)
    expect(await outbox.retryDue()).toBe(50)
    expect(sent.slice(0, 2)).toEqual(['anna@shop.test', 'p0@shop.test'])
  })
})
