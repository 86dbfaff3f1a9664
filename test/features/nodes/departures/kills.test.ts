import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { BY, type DepartureWorld, departureWorld, NEW_URL, ORDER, PICTURES } from './world.ts'

let world: DepartureWorld
beforeAll(async () => {
  world = await departureWorld()
}, 60_000)
afterAll(() => world.close())

/** More than one batch. */
const LONG = 'x'.repeat(400_000)

function fill(): void {
  world.reset()
  for (let n = 0; n < 6; n++) world.put(`thing ${n}`, `${n} ${LONG}`)
}
beforeEach(fill)

/** What clients were told is written. A write comes with each moment at which the source takes any. */
function createWriter() {
  const told = new Map(world.readRows().map(({ key, value }) => [key, value]))
  let [written, refused] = [0, 0]
  return {
    told,
    counts: () => ({ written, refused }),
    write() {
      // Whoever serves the store, it is one node.
      if (world.target.kept.state === 'open') expect(world.isWritable()).toBe(false)
      if (!world.isWritable()) {
        refused++
        return
      }
      written++
      const key = `thing ${written % 9}`
      const value = `written ${written}`
      world.put(key, value)
      told.set(key, value)
    },
  }
}

/** Runs a move in which something happens at one of its moments, counted from 1. @returns how many there were. */
async function moveWith(at: number, happen: (when: 'before' | 'after', isRequest: boolean) => void) {
  const writer = createWriter()
  let moments = 0
  const meet = (when: 'before' | 'after', isRequest: boolean) => {
    moments++
    if (moments < 60) writer.write()
    if (moments === at) happen(when, isRequest)
  }
  world.onRequest = (_path, when) => meet(when, true)
  world.onCommit = (when) => meet(when, false)
  await world
    .service()
    .begin(BY, world.storeId, ORDER)
    .catch(() => {})
  await world.carryOn()
  return { writer, moments: () => moments }
}

function expectMoved(told: ReadonlyMap<string, string>): void {
  const { kept } = world.target
  expect(world.row()).toMatchObject({ phase: 'moved', newUrl: NEW_URL, error: null })
  expect([kept.state, kept.opened, world.readState()]).toEqual(['open', 1, 'moved'])
  expect([...kept.rows].sort()).toEqual([...told].sort())
  expect([...kept.pictures.keys()].sort()).toEqual(PICTURES)
  expect(world.mails).toEqual(['Your store one has a new address'])
}

test('a store moves with all that is written meanwhile', async () => {
  const { writer } = await moveWith(0, () => {})
  expectMoved(writer.told)
  expect(writer.counts().written).toBeGreaterThan(20)
  expect(writer.counts().refused).toBeGreaterThan(0)
})

test('killed at any moment, a move goes on at the next start, and one node serves the store', async () => {
  const { moments } = await moveWith(0, () => {})
  const count = moments()
  expect(count).toBeGreaterThan(50)
  let begun = 0
  for (let at = 1; at <= count; at++) {
    fill()
    const { writer } = await moveWith(at, world.kill)
    world.start()
    await world.carryOn()
    if (world.row()) begun++
    // Killed before it was written down, the move has never begun here.
    if (world.row()) expectMoved(writer.told)
    else {
      expect([world.readState(), world.isWritable()]).toEqual([null, true])
      expect(new Map(world.readRows().map(({ key, value }) => [key, value]))).toEqual(writer.told)
    }
  }
  expect(begun).toBeGreaterThan(count - 8)
}, 120_000)

test('killed twice at neighbouring moments, it goes on as well', async () => {
  for (let at = 8; at < 60; at += 5) {
    fill()
    const { writer } = await moveWith(at, world.kill)
    let left = 3
    world.onCommit = () => {
      if (--left === 0) world.kill()
    }
    world.start()
    await world.carryOn()
    world.onCommit = () => {}
    world.start()
    await world.carryOn()
    if (world.row()) expectMoved(writer.told)
  }
}, 120_000)

test('a request or an answer lost at any moment is made good', async () => {
  const { moments } = await moveWith(0, () => {})
  const count = moments()
  for (let at = 3; at <= count; at += 2) {
    fill()
    const { writer } = await moveWith(at, (_when, isRequest) => {
      if (isRequest) throw new Error('The connection was reset')
    })
    expectMoved(writer.told)
  }
}, 120_000)

test('cancelled at any moment before the target is asked to open, the store stays, and the target drops it', async () => {
  const { moments } = await moveWith(0, () => {})
  const count = moments()
  const ends = new Map<string, number>()
  for (let at = 1; at <= count; at += 2) {
    fill()
    let refusal: string | undefined
    const { writer } = await moveWith(at, () => {
      // As another request of the service.
      setImmediate(() => {
        world
          .service()
          .cancel(BY, world.storeId)
          .catch((error) => {
            refusal = error.message
          })
      })
    })
    const phase = world.row()?.phase ?? 'none'
    ends.set(phase, (ends.get(phase) ?? 0) + 1)
    if (phase === 'moved') {
      expect(refusal ?? '').toMatch(/^$|asked to serve|not moving/)
      expectMoved(writer.told)
      continue
    }
    expect(phase).toBe('cancelled')
    expect([world.target.kept.state, world.readState(), world.isWritable()]).toEqual([
      'abandoned',
      null,
      true,
    ])
    expect(new Map(world.readRows().map(({ key, value }) => [key, value]))).toEqual(writer.told)
    expect(world.db.prepare('SELECT count(*) FROM thing_log').pluck().get()).toBe(0)
    expect(world.mails).toEqual([])
  }
  expect(ends.get('cancelled')).toBeGreaterThan(5)
}, 120_000)
