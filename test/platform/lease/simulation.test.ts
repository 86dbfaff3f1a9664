import { describe, expect, test } from 'bun:test'
import { findFaults } from '../../../scripts/scale/parts/lease-history.ts'
import { loadMutant, MUTANTS } from '../../../scripts/scale/parts/lease-mutants.ts'
import { runSchedule } from '../../../scripts/scale/parts/lease-world.ts'
import { createLease } from '../../../src/platform/lease/lease.ts'

const SCHEDULES = 500

test('in no schedule do two nodes acknowledge, and somebody does within 30 s after the disturbances', () => {
  let [acks, changes] = [0, 0]
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const outcome = runSchedule(seed, createLease)
    expect({ seed, faults: outcome.faults }).toEqual({ seed, faults: [] })
    acks += outcome.acks
    changes += outcome.changes
  }
  // The schedules are worth something: owners answer, and change.
  expect(acks).toBeGreaterThan(100 * SCHEDULES)
  expect(changes).toBeGreaterThan(SCHEDULES / 2)
}, 120_000)

test('a seed gives the same history each time', () => {
  expect(runSchedule(7, createLease)).toEqual(runSchedule(7, createLease))
})

describe('the checker finds that', () => {
  for (const mutant of MUTANTS) {
    test(mutant.what, async () => {
      const create = await loadMutant(mutant)
      let seed = 1
      while (seed < SCHEDULES && runSchedule(seed, create).faults.length === 0) seed++
      expect(runSchedule(seed, create).faults).not.toEqual([])
    })
  }
})

test('a history is judged by real time', () => {
  const ack = (at: number, process: string, epoch: number, until = at) => ({
    ...{ at, until, process, epoch },
    owner: process.slice(0, 1),
  })
  expect(findFaults([ack(1, 'a1', 1), ack(2, 'a1', 1), ack(3, 'b1', 2)])).toEqual({ faults: [], changes: 1 })
  expect(findFaults([ack(1, 'a1', 1), ack(3, 'b1', 2), ack(4, 'a1', 1)]).faults).toEqual([
    'a1 acknowledged at 4 ms, b1 had begun at 3 ms',
  ])
  // When it was paused in the middle of its look, nobody knows on which side of the pause the look was.
  expect(findFaults([ack(1, 'a1', 1), ack(2, 'a1', 1, 9), ack(3, 'b1', 2)]).faults).toEqual([])
  expect(findFaults([ack(1, 'a1', 2), ack(3, 'b1', 1)]).faults).toEqual(['epoch 1 of b1 came after 2'])
  expect(findFaults([ack(1, 'a1', 1), ack(3, 'b1', 1)]).faults).toEqual(['epoch 1 belonged to a and b'])
})
