import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  buildRunEnvironment,
  formatRunFile,
  writeRunFile,
} from '../../../src/platform/litestream/run-file.ts'
import { certificateEnvironment } from '../../../src/platform/native/own-command.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-run-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const bucket = {
  ...{ endpoint: 'https://s3.example.com', region: 'eu-1', bucket: 'copies' },
  ...{ accessKeyId: 'AKID', secretAccessKey: 'very secret' },
}
const address = { bucket, path: 'shop/epoch-3/db' }

test('the file holds the place and the pace, and no secret; only this user reads it', () => {
  const path = writeRunFile(dataDir, 'copy', address, { lookMs: 250, sendMs: 500 })
  const text = readFileSync(path, 'utf8')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'work')).mode & 0o777).toBe(0o700)
  expect(text).not.toContain('very secret')
  expect(text).not.toContain('AKID')
  const [db] = JSON.parse(text).dbs
  expect(db).toMatchObject({ path: join(dataDir, 'lookalike.db'), 'monitor-interval': '250ms' })
  expect(db.replicas).toEqual([
    expect.objectContaining({
      type: 's3',
      bucket: 'copies',
      path: 'shop/epoch-3/db',
      'sync-interval': '500ms',
    }),
  ])
  // It listens nowhere.
  expect(JSON.parse(text).addr).toBeUndefined()
})

test('a restore has no pace', () => {
  expect(formatRunFile(dataDir, address)).not.toContain('interval')
})

test('the environment holds the key, and of ours the certificates alone', () => {
  const ours = {
    ...{ AWS_PROFILE: 'other', HTTPS_PROXY: 'http://proxy', JWT_SECRET: 'ours' },
    SSL_CERT_FILE: '/etc/ca.pem',
  }
  const env = buildRunEnvironment(dataDir, bucket, certificateEnvironment(ours))
  expect(env).toEqual({
    SSL_CERT_FILE: '/etc/ca.pem',
    LITESTREAM_ACCESS_KEY_ID: 'AKID',
    LITESTREAM_SECRET_ACCESS_KEY: 'very secret',
    AWS_EC2_METADATA_DISABLED: 'true',
    HOME: join(dataDir, 'work'),
    PATH: '/usr/bin:/bin',
  })
})
