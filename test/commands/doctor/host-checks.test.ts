import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkClock,
  checkDataFolder,
  checkPort,
  checkService,
} from '../../../src/commands/doctor/host-checks.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the folder', () => {
  test('need not exist yet, and is not made', () => {
    const check = checkDataFolder(join(folder, 'a/b'))
    expect(check).toMatchObject({ state: 'ok', text: expect.stringContaining('holds no install yet') })
  })

  test('that lost its database is a fault', () => {
    mkdirSync(join(folder, 'secrets'))
    writeFileSync(join(folder, 'secrets/data'), 'x')
    expect(checkDataFolder(folder)).toMatchObject({
      state: 'error',
      text: expect.stringContaining('secrets/'),
    })
  })
})

describe('the port', () => {
  test('is free, or says why not', async () => {
    expect(checkPort('127.0.0.1', 0)).toMatchObject({ state: 'ok' })
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const taken = checkPort('127.0.0.1', server.port ?? 0)
    expect(taken).toMatchObject({ state: 'error', text: expect.stringContaining('the port is in use') })
    await server.stop(true)
  })
})

describe('the clock', () => {
  test('must not be behind the last change of the database', () => {
    const path = join(folder, 'lookalike.db')
    writeFileSync(path, '')
    utimesSync(path, new Date('2030-01-02'), new Date('2030-01-02'))
    expect(checkClock(folder, Date.parse('2030-01-03')).state).toBe('ok')
    expect(checkClock(folder, Date.parse('2030-01-01'))).toMatchObject({
      state: 'error',
      text: expect.stringContaining('before the last change of the database'),
    })
  })
})

describe('a service that runs', () => {
  const answering = async (body: string, status = 200) => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body, { status }) })
    const check = await checkService(`http://127.0.0.1:${server.port}`)
    await server.stop(true)
    return check
  }

  test('is ready, or says what is wrong, or does not answer', async () => {
    expect((await answering('{"checks":{"disk":{"ok":true}}}')).state).toBe('ok')
    expect(await answering('{"checks":{"disk":{"ok":false,"reason":"it is full"}}}', 503)).toMatchObject({
      state: 'error',
      text: expect.stringContaining('disk: it is full'),
    })
    expect((await answering('not JSON')).state).toBe('error')
  })
})
