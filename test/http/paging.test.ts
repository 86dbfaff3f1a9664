import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../src/core/errors.ts'
import { CursorId, createCursors, readMoment } from '../../src/http/paging.ts'

const ID = '01900000-0000-7000-8000-000000000001'
const cursors = createCursors({ list: 'boxes', sort: 'newest' }, { value: Type.Number(), id: CursorId })
const rows = [1, 2, 3, 4].map((value) => ({ value, id: ID, row: value + 100 }))
const positionOf = ({ value, id }: (typeof rows)[number]) => ({ value, id })

const cursorOf = (fields: unknown) => Buffer.from(JSON.stringify(fields)).toString('base64url')

/** What reading throws. */
function refusal(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    return error instanceof ApiError ? [error.code, error.message] : error
  }
  return undefined
}

describe('a page', () => {
  test('ends with a cursor when one row more was found, and the cursor gives the place of its last row', () => {
    const { rows: page, nextCursor } = cursors.page(rows, 3, positionOf)
    expect(page).toEqual(rows.slice(0, 3))
    expect(cursors.read(String(nextCursor))).toMatchObject({ value: 3, id: ID })
  })

  test.each([4, 5])('of at most %d rows is the last one', (limit) => {
    expect(cursors.page(rows, limit, positionOf)).toEqual({ rows, nextCursor: null })
  })

  test('may be empty', () => {
    expect(cursors.page([], 3, positionOf)).toEqual({ rows: [], nextCursor: null })
  })
})

describe('a cursor', () => {
  const own = { list: 'boxes', sort: 'newest', value: 3, id: ID }

  test('may be missing', () => {
    expect(cursors.read(undefined)).toBeUndefined()
    expect(cursors.read(cursorOf(own))).toMatchObject({ value: 3, id: ID })
  })

  test.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', 'x'],
    ['null', cursorOf(null)],
    ['a list', cursorOf([])],
    ['an empty object', cursorOf({})],
    ['another list', cursorOf({ ...own, list: 'lids' })],
    ['another order', cursorOf({ ...own, sort: 'oldest' })],
    ['no order', cursorOf({ ...own, sort: undefined })],
    ['a value of another type', cursorOf({ ...own, value: '3' })],
    ['no id', cursorOf({ ...own, id: undefined })],
    ['a row number', cursorOf({ ...own, id: 7 })],
    ['an id that is no UUID', cursorOf({ ...own, id: '1 OR 1=1' })],
    ['another field', cursorOf({ ...own, row: 7 })],
    ['half of one', cursorOf(own).slice(0, -8)],
  ])('is refused: %s', (_, cursor) => {
    expect(refusal(() => cursors.read(cursor))).toEqual([
      'invalid_cursor',
      'The cursor was not issued by this endpoint',
    ])
  })
})

describe('a moment', () => {
  test.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T00:00:00.5+02:00', '2029-12-31T22:00:00.500Z'],
    ['2030-01-01T00:00 02:00', '2029-12-31T22:00:00.000Z'],
    ['2030-01-01', '2030-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(readMoment('since', text)).toBe(Date.parse(iso))
  })

  test.each([
    '2030-13-01',
    '2030-01-01T25:00:00Z',
    '2026-02-31',
    '2026-02-29T12:00:00Z',
    '2026-04-31T00:00:00 02:00',
  ])('422 for %s, which does not exist', (text) => {
    expect(refusal(() => readMoment('since', text))).toEqual([
      'validation_error',
      'since must be an existing date and time',
    ])
  })
})
