import { describe, expect, test } from 'bun:test'
import { dateOf } from '../../src/core/days.ts'
import { localDayOf } from '../../src/core/local-days.ts'

const at = (moment: string, zone: string): string => dateOf(localDayOf(Date.parse(moment), zone))

describe('the day of a moment in a time zone', () => {
  test('begins at midnight there, to the millisecond', () => {
    expect(at('2030-06-30T21:59:59.999Z', 'Europe/Vienna')).toBe('2030-06-30')
    expect(at('2030-06-30T22:00:00.000Z', 'Europe/Vienna')).toBe('2030-07-01')
    expect(at('2030-01-01T09:59:59.999Z', 'Pacific/Kiritimati')).toBe('2030-01-01')
    expect(at('2030-01-01T10:00:00.000Z', 'Pacific/Kiritimati')).toBe('2030-01-02')
    expect(at('2030-01-01T05:44:59.999Z', 'UTC')).toBe('2030-01-01')
    expect(at('2030-01-01T18:14:59.999Z', 'Asia/Kathmandu')).toBe('2030-01-01')
    expect(at('2030-01-01T18:15:00.000Z', 'Asia/Kathmandu')).toBe('2030-01-02')
  })

  test('has 23 hours when the clocks go forward, and 25 when they go back', () => {
    const hours = (from: string, to: string) => {
      const days = new Map<string, number>()
      for (let ms = Date.parse(from); ms < Date.parse(to); ms += 3_600_000) {
        const date = dateOf(localDayOf(ms, 'Europe/Vienna'))
        days.set(date, (days.get(date) ?? 0) + 1)
      }
      return days
    }
    expect(hours('2030-03-29T00:00Z', '2030-04-02T00:00Z').get('2030-03-31')).toBe(23)
    expect(hours('2030-10-25T00:00Z', '2030-10-29T00:00Z').get('2030-10-27')).toBe(25)
    expect(hours('2030-10-20T00:00Z', '2030-10-24T00:00Z').get('2030-10-22')).toBe(24)
  })

  test('equals the calendar of the runtime at every quarter of an hour of a year, and one ms before', () => {
    const calendar = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/St_Johns' })
    const wrong: number[] = []
    for (let ms = Date.UTC(2030, 0); ms < Date.UTC(2031, 0); ms += 900_000)
      for (const moment of [ms - 1, ms])
        if (dateOf(localDayOf(moment, 'America/St_Johns')) !== calendar.format(moment)) wrong.push(moment)
    expect(wrong).toEqual([])
  })

  test('is that of UTC in a zone that this runtime does not know', () => {
    expect(at('2030-01-01T23:59:00Z', 'Mars/Olympus')).toBe('2030-01-01')
  })
})
