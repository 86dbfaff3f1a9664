import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createByteBudget, type Reservation } from '../../src/core/byte-budget.ts'
import { ApiError } from '../../src/core/errors.ts'

const budget = () => createByteBudget({ max: 100, perOwnerMax: 60, firstMax: 0, extraMax: 100 })

describe('a budget of 100 bytes, 60 for one owner', () => {
  test('reserves up to the limit of everybody, exactly', () => {
    const all = budget()
    expect(all.tryTake('a', 50)).toBeDefined()
    expect(all.tryTake('b', 51)).toBeUndefined()
    expect(all.tryTake('b', 50)).toBeDefined()
    expect(all.tryTake('c', 1)).toBeUndefined()
    expect(all.held()).toBe(100)
  })

  test('gives one owner no more than its share, whatever is free', () => {
    const all = budget()
    expect(all.tryTake('a', 61)).toBeUndefined()
    expect(all.tryTake('a', 60)).toBeDefined()
    expect(all.tryTake('a', 1)).toBeUndefined()
    expect(all.tryTake('b', 40)).toBeDefined()
    expect(all.held('a')).toBe(60)
  })

  test('below a ceiling reserves only while everybody stays below it', () => {
    const all = budget()
    expect(all.tryTake('a', 30, { ceiling: 50 })).toBeDefined()
    expect(all.tryTake('b', 21, { ceiling: 50 })).toBeUndefined()
    expect(all.tryTake('b', 20, { ceiling: 50 })).toBeDefined()
    expect(all.tryTake('b', 40)).toBeDefined()
  })

  test('a reservation that shrinks or is released frees its bytes for others, once', () => {
    const all = budget()
    const reservation = all.take('a', 60)
    reservation.shrinkTo(20)
    reservation.shrinkTo(40)
    expect([reservation.bytes, all.held(), all.held('a')]).toEqual([20, 20, 20])
    reservation.release()
    reservation.release()
    expect([reservation.bytes, all.held(), all.held('a')]).toEqual([0, 0, 0])
  })

  test('whoever listens is told of every release, and of no taking', () => {
    const all = budget()
    let calls = 0
    all.onFreed(() => calls++)
    const reservation = all.take('a', 60)
    expect(calls).toBe(0)
    reservation.shrinkTo(20)
    reservation.release()
    reservation.release()
    expect(calls).toBe(2)
  })

  test('beyond the budget `take` answers overloaded, with a time to wait', () => {
    const all = budget()
    all.take('a', 60)
    const refusal = (() => {
      try {
        return all.take('a', 1)
      } catch (error) {
        return error
      }
    })()
    expect(refusal).toBeInstanceOf(ApiError)
    expect(refusal).toMatchObject({ code: 'overloaded', extras: { retryAfterSeconds: 1 } })
    expect(all.held()).toBe(60)
  })

  test('in any order of taking and giving back the sums are those of the reservations', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(70), drop: fc.nat(5) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const all = budget()
        const reservations: { owner: string; reservation: Reservation }[] = []
        for (const { owner, bytes, drop } of steps) {
          const reservation = all.tryTake(owner, bytes)
          if (reservation) reservations.push({ owner, reservation })
          if (drop === 0) reservations.shift()?.reservation.release()
          const sum = (mine: typeof reservations) =>
            mine.reduce((total, { reservation }) => total + reservation.bytes, 0)
          expect(all.held()).toBe(sum(reservations))
          for (const name of ['a', 'b', 'c']) {
            expect(all.held(name)).toBe(sum(reservations.filter(({ owner }) => owner === name)))
            expect(all.held(name)).toBeLessThanOrEqual(60)
          }
          expect(all.held()).toBeLessThanOrEqual(100)
        }
      }),
    )
  })
})
