import { afterEach, describe, expect, test } from 'bun:test'
import { type Fake, startFake, until } from '../../../platform/embedder/fake.ts'

const running: Fake[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.remove()))
})

async function ready(limits: NonNullable<Parameters<typeof startFake>[0]>['limits'] = {}): Promise<Fake> {
  const fake = startFake({ limits })
  running.push(fake)
  await until(() => fake.embedder.status().state === 'ready')
  return fake
}

const GIANT = 49_000_000
const LARGE = 8_000_000
const names = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

describe('when a process dies', () => {
  test('a picture that was being worked on alone is to blame', async () => {
    const fake = await ready()
    expect(await fake.ask('die x')).toBe('image_unreadable')
    expect(await fake.ask('fine y')).toBe('fine')
    expect(fake.begun()).toEqual(['x', 'y'])
  }, 30_000)

  test('so is the one for which it sends a reply that is none, which ends it', async () => {
    const fake = await ready()
    const [before] = fake.embedder.pids().vision
    expect(await fake.ask('babble x')).toBe('image_unreadable')
    expect(fake.embedder.pids().vision).not.toContain(before as number)
    expect(await fake.ask('fine y')).toBe('fine')
  }, 30_000)

  test('what only waited in it is not, and is answered by the next one', async () => {
    const fake = await ready()
    const [held, cause] = [fake.ask('shy x'), fake.ask('die y')]
    expect(await cause).toBe('image_unreadable')
    fake.release('x')
    expect(await held).toBe('fine')
    expect(fake.begun()).toEqual(['y', 'x'])
  }, 30_000)

  test('in company each is tried again in a process apart, and only the cause is refused', async () => {
    const fake = await ready()
    const waiting = names(3, 'w').map((name) => fake.ask(`wait ${name}`))
    await until(() => fake.begun().length === 3)
    const cause = fake.ask('die x')
    await until(() => fake.begun().length > 4)
    // Fresh ones do not wait for the suspects, which hold the other process.
    expect(await fake.ask('fine fresh')).toBe('fine')
    for (const name of names(3, 'w')) fake.release(name)
    expect(await Promise.all(waiting)).toEqual(['fine', 'fine', 'fine'])
    expect(await cause).toBe('image_unreadable')
    await until(() => fake.embedder.pids().vision.length === 1)
  }, 30_000)
})

describe('the time of a picture', () => {
  test('runs from the moment its work begins: one that takes too long is refused, those beside it are answered', async () => {
    const fake = await ready({ taskMs: 1_000 })
    const slow = fake.ask('wait slow')
    await until(() => fake.begun().length === 1)
    expect(await slow).toBe('image_unreadable')
    expect(await fake.ask('fine y')).toBe('fine')
  }, 30_000)

  test('does not run while it waits its turn', async () => {
    const fake = await ready({ taskMs: 3_000 })
    const giants = names(4, 'g').map((name) => fake.ask(`${GIANT} wait ${name}`))
    for (const [n, name] of names(4, 'g').entries()) {
      await until(() => fake.begun().length === n + 1)
      // Four of these are more than one may take.
      await Bun.sleep(1_000)
      fake.release(name)
    }
    expect(await Promise.all(giants)).toEqual(['fine', 'fine', 'fine', 'fine'])
  }, 30_000)

  test('waiting has a limit of its own: `overloaded`', async () => {
    const fake = await ready({ waitMs: 200 })
    const first = fake.ask(`${GIANT} wait g0`)
    await until(() => fake.begun().length === 1)
    expect(await fake.ask(`${GIANT} wait g1`)).toBe('overloaded')
    fake.release('g0')
    expect(await first).toBe('fine')
    expect(await fake.ask('fine y')).toBe('fine')
  }, 30_000)
})

describe('stores', () => {
  test('giants of one store are decoded one at a time, and small pictures pass by', async () => {
    const fake = await ready()
    const giants = names(20, 'g').map((name) => fake.ask(`${GIANT} wait ${name}`))
    await until(() => fake.begun().length === 1)
    expect(await fake.ask('fine small', 'b')).toBe('fine')
    expect(await fake.ask('fine own', 'a')).toBe('fine')
    expect(fake.begun()).toEqual(['g0', 'small', 'own'])
    for (const name of names(20, 'g')) fake.release(name)
    expect(new Set(await Promise.all(giants))).toEqual(new Set(['fine']))
    expect(fake.begun().filter((name) => name.startsWith('g'))).toEqual(names(20, 'g'))
  }, 30_000)

  test('the giant of another store is next, not last', async () => {
    const fake = await ready()
    const giants = names(10, 'g').map((name) => fake.ask(`${GIANT} wait ${name}`))
    await until(() => fake.begun().length === 1)
    const other = fake.ask(`${GIANT} wait b`, 'b')
    // Asked for after the giant of `b`, so it has been measured by then.
    await fake.ask('fine small', 'b')
    for (const name of ['b', ...names(10, 'g')]) fake.release(name)
    await Promise.all([...giants, other])
    // Both stores have just been served; whichever is next, the other one follows.
    expect(fake.begun().indexOf('b')).toBeLessThanOrEqual(3)
  }, 30_000)

  test('large pictures hold four places only', async () => {
    const fake = await ready()
    const larges = names(20, 'l').map((name) => fake.ask(`${LARGE} wait ${name}`))
    await until(() => fake.begun().length === 4)
    expect(await fake.ask('fine small', 'b')).toBe('fine')
    expect(fake.begun().toSorted()).toEqual(['l0', 'l1', 'l2', 'l3', 'small'])
    for (const name of names(20, 'l')) fake.release(name)
    expect(new Set(await Promise.all(larges))).toEqual(new Set(['fine']))
  }, 30_000)

  test('small pictures go in while a process has less than 16 MiB of them, whatever the next one weighs', async () => {
    const fake = await ready()
    const giant = fake.ask(`${GIANT} wait giant ${'.'.repeat(9_000_000)}`, 'b')
    await until(() => fake.begun().length === 1)
    const padding = '.'.repeat(6_000_000)
    const heavy = names(5, 'h').map((name) => fake.ask(`wait ${name} ${padding}`))
    const light = fake.ask('fine light')
    await until(() => fake.begun().length === 4)
    expect(fake.embedder.queueDepth().pictures).toBe(3)
    expect(fake.begun().toSorted()).toEqual(['giant', 'h0', 'h1', 'h2'])
    for (const name of [...names(5, 'h'), 'giant']) fake.release(name)
    expect(new Set(await Promise.all([giant, light, ...heavy]))).toEqual(new Set(['fine']))
  }, 30_000)

  test.each(['search', 'index'] as const)(
    'a store with 40 pictures waiting lets another one pass: %s',
    async (priority) => {
      const fake = await ready()
      const many = names(40, 'm').map((name) => fake.ask(`wait ${name}`, 'a', priority))
      await until(() => fake.begun().length === 6)
      const single = fake.ask('fine single', 'b', priority)
      fake.release('m0')
      expect(await single).toBe('fine')
      expect(fake.begun().length).toBeLessThanOrEqual(8)
      for (const name of names(40, 'm')) fake.release(name)
      expect(new Set(await Promise.all(many))).toEqual(new Set(['fine']))
    },
    30_000,
  )

  test('searches that keep every place busy leave an upload its turn', async () => {
    const fake = await ready()
    const searches = names(44, 's').map((name, n) => fake.ask(`wait ${name}`, n % 2 === 0 ? 'a' : 'b'))
    await until(() => fake.begun().length === 12)
    const upload = fake.ask('fine upload', 'c', 'index')
    for (const name of names(44, 's')) fake.release(name)
    expect(await upload).toBe('fine')
    expect(new Set(await Promise.all(searches))).toEqual(new Set(['fine']))
    // The twelve that were there, sixteen that passed, and those that begin beside it.
    expect(fake.begun().indexOf('upload')).toBeLessThanOrEqual(34)
  }, 30_000)

  test('a store that fills the line gives way to one that has less there', async () => {
    const fake = await ready({ picturesMax: 20 })
    const many = names(20, 'm').map((name) => fake.ask(`wait ${name}`))
    await until(() => fake.begun().length === 6)
    expect(await fake.ask('wait more')).toBe('overloaded')
    const single = fake.ask('fine single', 'b')
    expect(await many[19]).toBe('overloaded')
    expect(await single).toBe('fine')
    for (const name of names(20, 'm')) fake.release(name)
    expect((await Promise.all(many)).filter((outcome) => outcome === 'fine').length).toBe(19)
  }, 30_000)
})
