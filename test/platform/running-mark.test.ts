import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markRunning } from '../../src/platform/running-mark.ts'

test('a mark that nobody took away tells of an unclean end, until somebody does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-mark-'))
  const first = markRunning(folder)
  expect([first.wasUnclean, readdirSync(folder)]).toEqual([false, ['running']])
  const second = markRunning(folder)
  expect(second.wasUnclean).toBe(true)
  second.remove()
  second.remove()
  expect(readdirSync(folder)).toEqual([])
  expect(markRunning(folder).wasUnclean).toBe(false)
  rmSync(folder, { recursive: true })
})

test('a folder that is not there is no fault of the disk', () => {
  expect(() => markRunning(join(tmpdir(), 'lookalike-none'))).toThrow('ENOENT')
})
