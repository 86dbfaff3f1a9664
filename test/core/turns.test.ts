import { expect, test } from 'bun:test'
import { createTurns, turn } from '../../src/core/turns.ts'

/** Turns that come when the test says so. */
function manualTurns() {
  const booked: (() => void)[] = []
  const next = async () => {
    booked.shift()?.()
    await Promise.resolve()
  }
  return { turn: createTurns((callback) => void booked.push(callback)), booked, next }
}

test('of many that wait one goes on in each turn, in the order of their coming', async () => {
  const { turn, next } = manualTurns()
  const done: string[] = []
  for (const name of ['a', 'b', 'c']) void turn().then(() => done.push(name))
  expect(done).toEqual([])
  for (const expected of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
    await next()
    expect(done).toEqual(expected)
  }
})

test('who waits again stands behind those that wait already', async () => {
  const { turn, next } = manualTurns()
  const done: string[] = []
  const work = async (name: string) => {
    for (const step of [1, 2]) {
      await turn()
      done.push(name + step)
    }
  }
  void work('a')
  void work('b')
  for (let n = 0; n < 4; n++) await next()
  expect(done).toEqual(['a1', 'b1', 'a2', 'b2'])
})

test('no turn is booked while nobody waits, and one at a time', async () => {
  const { turn, booked, next } = manualTurns()
  expect(booked).toHaveLength(0)
  void turn()
  void turn()
  expect(booked).toHaveLength(1)
  await next()
  await next()
  expect(booked).toHaveLength(0)
})

test('between the turns of the process others are served', async () => {
  const order: string[] = []
  const heavy = Promise.all(['a', 'b'].map((name) => turn().then(() => order.push(name))))
  await new Promise<void>((resolve) =>
    setImmediate(() => {
      order.push('other')
      resolve()
    }),
  )
  await heavy
  expect(order).toEqual(['a', 'other', 'b'])
})
