import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../../src/core/clock.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, type Person } from '../../../support/people.ts'

let app: TestApp
let root: Person
let hasKey: boolean
let fault: string | undefined
let sent: string[]
let onSend: () => void

beforeEach(async () => {
  hasKey = true
  fault = undefined
  sent = []
  onSend = () => {}
  app = testApp({
    backups: {
      dataDir: '/data',
      isIdle: () => true,
      isThere: async () => true,
      remove: async () => {},
      make: async ({ folder, name }) => ({
        ...{ bytes: 5_000, sha256: 'ab'.repeat(32), madeAt: app.clock.now() },
        ...{ path: `${folder}/${name}`, counts: {} },
      }),
      copies: {
        ...{ address: 's3://b/p', keep: 30, hasKey: () => hasKey },
        async send({ path }, tell) {
          tell(0.5)
          onSend()
          if (fault !== undefined) throw new Error(fault)
          sent.push(path)
          return { bytes: 5_200, sha256: 'cd'.repeat(32), address: `s3://b/p/id${path}.age` }
        },
      },
    },
  })
  root = await addPerson(app, 'root', [], { isSuperAdmin: true })
})
afterEach(() => app.close())

interface List {
  backups: { copy: Record<string, unknown> }[]
  copies: Record<string, unknown>
}
const list = async (): Promise<List> =>
  (await app.call('GET', '/v1/admin/backups', { token: await getToken(app, root) })).body as unknown as List
const makeBackup = async (): Promise<void> => {
  await app.call('POST', '/v1/admin/backups', { token: await getToken(app, root) })
  await app.settle()
  app.clock.advance(1_000)
}
const runChore = () => app.chores.find(({ name }) => name === 'copying backups')?.run()
const readWarning = async () =>
  ((await app.call('GET', '/health/ready')).body['checks'] as Record<string, { warning?: string }>)['backup']
    ?.warning

describe('the copy of a backup', () => {
  test('waits, is sent by the service, and is listed with its address', async () => {
    await makeBackup()
    expect(await list()).toMatchObject({
      backups: [{ copy: { state: 'waiting', address: null } }],
      copies: { to: 's3://b/p', keep: 30, has_key: true, last_at: null, warning: null },
    })
    await runChore()
    await runChore()
    expect(sent).toHaveLength(1)
    expect(await list()).toMatchObject({
      backups: [
        {
          copy: {
            ...{ state: 'copied', progress: 1, copied_at: '2030-01-01T00:00:01.000Z', error: null },
            address: `s3://b/p/id${sent[0]}.age`,
            ...{ bytes: 5_200, sha256: 'cd'.repeat(32) },
          },
        },
      ],
      copies: { last_at: '2030-01-01T00:00:00.000Z' },
    })
  })

  test('is made at once by a command', async () => {
    const made = await app.services.backups.run({ startedBy: 'command' })
    expect(made.copy).toMatchObject({ state: 'copied' })
  })

  test('is not sent without a key, and everyone hears of it', async () => {
    hasKey = false
    await makeBackup()
    await runChore()
    expect(sent).toEqual([])
    expect((await list()).copies).toMatchObject({
      has_key: false,
      warning: expect.stringContaining('no key'),
    })
    expect(await readWarning()).toContain('lookalike backup key')
    hasKey = true
    await runChore()
    expect(sent).toHaveLength(1)
  })

  test('that fails is told, and sent again after 15 minutes, the newest first', async () => {
    const mails = app.mails.length
    fault = 'The bucket is full.'
    await makeBackup()
    await runChore()
    await app.settle()
    expect((await list()).backups[0]?.copy).toMatchObject({ state: 'failed', error: 'The bucket is full.' })
    expect(await readWarning()).toBe('the last copy of a backup did not arrive elsewhere')
    expect(app.mails.slice(mails).map(({ text }) => text)).toEqual([
      expect.stringContaining('did not arrive at s3://b/p: The bucket is full.'),
    ])
    await makeBackup()
    fault = undefined
    await runChore()
    expect(sent).toEqual([])
    app.clock.advance(15 * MINUTE_MS)
    await runChore()
    expect(sent).toHaveLength(2)
    expect((sent[0] ?? '') > (sent[1] ?? '')).toBeTrue()
    expect(await readWarning()).toBeUndefined()
  })

  test('is left to the program that sends it, until that was silent for half an hour', async () => {
    await makeBackup()
    app.db.prepare("UPDATE backups SET copy_state = 'sending', copy_beat_at = ?").run(app.clock.now())
    await makeBackup()
    app.clock.advance(29 * MINUTE_MS)
    await runChore()
    expect(sent).toEqual([])
    app.clock.advance(2 * MINUTE_MS)
    await runChore()
    expect(sent).toHaveLength(2)
  })

  test('is not begun twice while it is sent', async () => {
    await makeBackup()
    let second: unknown
    onSend = () => {
      second = runChore()
    }
    await runChore()
    await second
    expect(sent).toHaveLength(1)
    expect((await list()).backups[0]?.copy).toMatchObject({ state: 'copied' })
  })
})
