import { expect, test } from 'bun:test'
import { isoTime } from '../../src/core/clock.ts'
import { systemIds } from '../../src/core/ids.ts'

test('ids are UUIDv7: unique, and sorted by the time they were made', () => {
  const made = Array.from({ length: 1_000 }, () => systemIds.uuid())
  for (const id of made)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(made).size).toBe(1_000)
  expect([...made].sort()).toEqual(made)
})

test.each([16, 32, 48])('a secret of %p bytes is base64url of so many, and never the same', (size) => {
  const made = Array.from({ length: 100 }, () => systemIds.secret(size))
  for (const secret of made) expect(Buffer.from(secret, 'base64url')).toHaveLength(size)
  for (const secret of made) expect(secret).toMatch(/^[\w-]+$/)
  expect(new Set(made).size).toBe(100)
})

test('times on the wire are ISO 8601 in UTC with Z', () => {
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z')
  expect(isoTime(1_893_456_000_123)).toBe('2030-01-01T00:00:00.123Z')
})
