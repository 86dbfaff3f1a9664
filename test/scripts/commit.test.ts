import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommit } from '../../scripts/build/commit.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-commit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function git(...words: string[]): void {
  const env = {
    PATH: process.env['PATH'] ?? '',
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...{
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b.test',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b.test',
    },
    ...{ GIT_AUTHOR_DATE: '2026-01-02T23:30:00-03:00', GIT_COMMITTER_DATE: '2026-01-02T23:30:00-03:00' },
  }
  expect(Bun.spawnSync(['git', '-C', folder, ...words], { env, stdout: 'ignore' }).exitCode).toBe(0)
}

const UNKNOWN = { hash: 'unknown', date: 'unknown' }

test('a checkout gives its commit and the date in UTC, and says when files were changed', () => {
  git('init', '-q')
  expect(readCommit(folder)).toEqual(UNKNOWN)
  writeFileSync(join(folder, 'file'), 'one')
  git('add', 'file')
  git('commit', '-qm', 'First')
  expect(readCommit(folder)).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{40}$/), date: '2026-01-03' })
  writeFileSync(join(folder, 'other'), 'belongs to nobody')
  expect(readCommit(folder).hash).not.toEndWith('-dirty')
  writeFileSync(join(folder, 'file'), 'two')
  expect(readCommit(folder).hash).toEndWith('-dirty')
})

test('a folder outside, or inside a checkout of something else, has none', () => {
  expect(readCommit(folder)).toEqual(UNKNOWN)
  git('init', '-q')
  writeFileSync(join(folder, 'file'), 'one')
  git('add', 'file')
  git('commit', '-qm', 'First')
  mkdirSync(join(folder, 'unpacked-sources'))
  expect(readCommit(join(folder, 'unpacked-sources'))).toEqual(UNKNOWN)
})
