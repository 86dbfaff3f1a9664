import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { departureQueries } from '../../../../src/features/nodes/departures/queries.ts'
import { PAUSES_MAX } from '../../../../src/features/nodes/departures/switching.ts'
import { BY, type DepartureWorld, departureWorld, NEW_URL, ORDER } from './world.ts'

let world: DepartureWorld
beforeEach(async () => {
  world = await departureWorld({ pauseMsMax: 200 })
  for (let n = 0; n < 4; n++) world.put(`thing ${n}`, `value ${n}`)
})
afterEach(() => world.close())

const begin = (order: Partial<typeof ORDER> = {}) =>
  world.service().begin(BY, world.storeId, { ...ORDER, ...order })

/** Throws for the next requests whose paths end so. */
function failAt(end: string, times: number, error: () => Error = () => new Error('No route to host')): void {
  let left = times
  world.onRequest = (path, when) => {
    if (when === 'before' && path.endsWith(end) && left-- > 0) throw error()
  }
}

/** Goes on until a move is in a phase. */
async function carryTo(phase: string): Promise<void> {
  for (let n = 0; n < 200 && world.row()?.phase !== phase; n++) await world.carryOn(1)
  expect(world.row()?.phase).toBe(phase as 'moved')
}

describe('a pause of writes', () => {
  /** Rows that somebody writes while the target takes rows, so many each time. */
  function writeMeanwhile(counts: number[], ms: number): number[] {
    const left: number[] = []
    world.onRequest = async (path, when) => {
      if (when !== 'before' || !path.endsWith('/rows')) return
      if (world.row()?.phase === 'copying') world.put('late 1', 'first')
      if (world.row()?.phase === 'catching_up') {
        left.push(counts.length)
        for (let n = counts.shift() ?? 0; n > 0; n--) world.put(`late ${n}`, `${counts.length}`)
        world.app.clock.advance(ms)
      }
    }
    return left
  }

  test('waits until a target that needs long for few rows has taken them', async () => {
    // By the pace of the last ones the five that are left take two seconds.
    const left = writeMeanwhile([5, 5, 5, 5, 5, 5], 2_000)
    await begin()
    await carryTo('moved')
    // The pause begins where nothing is left to send.
    expect(left).toEqual([6, 5, 4, 3, 2, 1, 0])
    expect(world.row()).toMatchObject({ pauses: 0 })
    expect(world.target.kept.rows.size).toBe(world.readRows().length)
  })

  test('comes all the same where rows are written faster than the target takes them', async () => {
    const left = writeMeanwhile(Array(100).fill(5), 2_000)
    await begin()
    await carryTo('moved')
    expect(left.length).toBeLessThan(40)
    expect(world.target.kept.rows.size).toBe(world.readRows().length)
  })
})

describe('before it begins', () => {
  test('an address must be https and bare, and a code whole', async () => {
    for (const to of [
      'http://node-2.test',
      'node-2',
      'https://a:b@node-2.test',
      'https://node-2.test/x',
      'https://node-2.test/?q=1',
    ]) {
      expect(await begin({ to }).catch((error) => error.code)).toBe('validation_error')
    }
    expect(await begin({ code: 'another' }).catch((error) => error.code)).toBe('validation_error')
    expect(world.target.kept.announced).toBe(0)
  })

  test('a store that is not there, is suspended, or moves already is refused, and nobody is asked', async () => {
    const missing = await world
      .service()
      .begin(BY, 'nobody', ORDER)
      .catch((error) => error.code)
    expect(missing).toBe('not_found')
    world.isModelMoving = true
    expect(await begin().catch((error) => error.message)).toContain('another model')
    world.isModelMoving = false
    world.app.stores.suspend(world.storeId, 'a bill', null)
    expect(await begin().catch((error) => error.message)).toContain('suspended')
    world.app.stores.resume(world.storeId, null)
    expect(world.target.kept.announced).toBe(0)
    await begin()
    expect(await begin().catch((error) => error.message)).toContain('moving already')
    expect(world.target.kept.announced).toBe(1)
  })

  test('a refusal of the other node is its sentence, and changes nothing here', async () => {
    const message = 'The code was used already: make a new one with "lookalike node invite"'
    world.target.refusal = { status: 401, json: { error: 'unauthorized', message } }
    const error = await begin().catch((refusal) => refusal)
    expect([error.code, error.message, error.extras?.details ?? error.details]).toEqual([
      'node_refused',
      message,
      { reason: 'unauthorized', status: 401 },
    ])
    expect([world.row(), world.readState()]).toEqual([undefined, null])
  })

  test('a node that cannot be reached is named', async () => {
    failAt('/moves', 1)
    const error = await begin().catch((refusal) => refusal)
    expect([error.code, error.message]).toEqual([
      'node_unreachable',
      `${NEW_URL} cannot be reached: No route to host`,
    ])
    expect(world.row()).toBeUndefined()
  })

  test('a node without moves asks its database nothing', () => {
    const { prepare } = world.db
    world.db.prepare = () => {
      throw new Error('A statement')
    }
    world.service().wake()
    world.db.prepare = prepare
  })
})

describe('while it copies', () => {
  test('a target that is silent is asked again, each time later, and the move goes on', async () => {
    failAt('/rows', 4)
    await begin()
    await world.carryOn(1)
    expect(world.row()).toMatchObject({ phase: 'copying', tries: 1, problem: 'No route to host' })
    expect(world.readState()).toBe('moving')
    await world.carryOn()
    expect(world.row()).toMatchObject({ phase: 'moved', problem: null, tries: 0 })
  })

  test('a target that is silent for a day ends it, and the store stays', async () => {
    failAt('/rows', Number.POSITIVE_INFINITY)
    await begin()
    for (let hour = 0; hour < 30; hour++) {
      await world.carryOn(1)
      world.app.clock.advance(3_600_000)
    }
    await world.carryOn()
    expect(world.row()).toMatchObject({ phase: 'failed' })
    expect(world.row()?.error).toBe('The other node has taken nothing for a day: No route to host')
    expect([world.readState(), world.target.kept.state]).toEqual([null, 'abandoned'])
  })

  test('a refusal of the target ends it with its sentence', async () => {
    await begin()
    world.target.kept.state = 'abandoned'
    await world.carryOn()
    expect(world.row()).toMatchObject({ phase: 'failed', error: 'The move is abandoned', isTargetTold: true })
    expect(world.isWritable()).toBe(true)
  })

  test('a store that is suspended meanwhile stays', async () => {
    await begin()
    world.app.stores.suspend(world.storeId, 'a bill', null)
    await world.carryOn()
    expect(world.row()).toMatchObject({ phase: 'failed', error: 'The store was suspended meanwhile' })
  })

  test('another model that comes meanwhile is waited for', async () => {
    await begin()
    world.isModelMoving = true
    await world.carryOn(100)
    expect(world.row()?.phase).toBe('catching_up')
    world.isModelMoving = false
    await world.carryOn()
    expect(world.row()?.phase).toBe('moved')
  })

  test('the words of a source that has just started are waited for', async () => {
    await begin()
    world.hasWords = false
    await world.carryOn(100)
    expect(world.row()?.phase).toBe('catching_up')
    world.hasWords = true
    await world.carryOn()
    expect(world.row()?.phase).toBe('moved')
    expect(world.left).toEqual([world.storeId])
  })

  test('a later number than this node knows of is taken over', async () => {
    await begin()
    world.target.kept.lastBatch = 40
    await world.carryOn()
    expect(world.row()?.phase).toBe('moved')
    expect(world.row()?.lastBatch).toBeGreaterThan(40)
  })
})

describe('the pause of writes', () => {
  /** Holds a request of the pause until it is given up. */
  function hangAt(end: string, times: number): void {
    let left = times
    world.onRequest = (path, when) => {
      if (world.row()?.phase !== 'verifying' || when !== 'before' || !path.endsWith(end) || left-- <= 0)
        return
      // The request ends with its signal: this one never answers.
      return new Promise(() => {})
    }
  }

  test('is given up when the target does not answer, and tried again later', async () => {
    hangAt('/digest', 2)
    await begin()
    await world.carryOn()
    expect(world.row()).toMatchObject({ phase: 'moved', pauses: 2 })
  })

  test(`fails the move after ${PAUSES_MAX} times`, async () => {
    hangAt('/digest', Number.POSITIVE_INFINITY)
    await begin()
    await world.carryOn(10_000)
    const { phase, error } = world.row() ?? {}
    expect([phase, error]).toEqual([
      'failed',
      `Writes were paused ${PAUSES_MAX} times, and the store could not be handed over: The pause of writes was given up after 0.2 s`,
    ])
    expect([world.isWritable(), world.target.kept.state]).toEqual([true, 'abandoned'])
  })

  test('rows that differ are sent once more', async () => {
    await begin()
    world.isModelMoving = true
    await carryTo('catching_up')
    world.isModelMoving = false
    world.target.kept.rows.set('thing 1', 'a bit that fell over')
    await world.carryOn()
    expect(world.row()).toMatchObject({ phase: 'moved', repairs: 1 })
    expect(world.target.kept.rows.get('thing 1')).toBe('value 1')
  })

  test('rows that differ again fail it, and are named', async () => {
    await begin()
    world.onRequest = (path) => {
      if (path.endsWith('/digest')) world.target.kept.rows.set('thing 1', 'a bit that falls over')
    }
    await world.carryOn()
    expect(world.row()).toMatchObject({
      phase: 'failed',
      error: 'The rows of things differ on the other node, also after they were sent once more',
    })
    expect(world.isWritable()).toBe(true)
  })

  test('searches that answer otherwise fail it, unless the target makes its own vectors', async () => {
    const lamp = { product_id: 'lamp', metadata: { name: 'A lamp' }, image_url: world.app.picture('lamp', 1) }
    expect((await world.app.call('POST', '/v1/products', { token: world.token, body: lamp })).status).toBe(
      201,
    )
    world.search = () => [{ product_id: 'lamp', similarity_score: 0.5 }]
    world.target.searchAnswer = () => [{ product_id: 'lamp', similarity_score: 0.4 }]
    await begin()
    await world.carryOn()
    expect(world.row()?.error).toBe(
      'These searches answer otherwise on the other node: “a lamp”, products like lamp, also after they were sent once more',
    )
    world.target.reembeds = true
    await begin()
    await world.carryOn()
    expect(world.row()).toMatchObject({ phase: 'moved', reembeds: true })
  })
})

test('a pause that an error has left behind ends, and the move goes on', async () => {
  await begin()
  world.isModelMoving = true
  await carryTo('catching_up')
  world.isModelMoving = false
  world.db.prepare("UPDATE store_moves SET phase = 'verifying'").run()
  await world.carryOn()
  expect(world.row()?.phase).toBe('moved')
})

test('a move ends with a pause of any length', async () => {
  await begin()
  const { id } = world.row() as { id: string }
  const facts = { now: 1, pauseMs: 1_778.4 }
  expect(departureQueries(world.db).end(id, 'copying', 'failed', facts)).toBe(true)
  expect(world.row()?.pauseMs).toBe(1_778)
})

describe('the switch', () => {
  test('is asked for until the target says whether it serves the store, and cannot be cancelled', async () => {
    failAt('/open', 20)
    await begin()
    await carryTo('switching')
    expect(world.isWritable()).toBe(false)
    expect(
      await world
        .service()
        .cancel(BY, world.storeId)
        .catch((error) => error.code),
    ).toBe('conflict')
    world.kill()
    const restarted = world.start()
    // Nothing is written before the next answer.
    expect(world.isWritable()).toBe(false)
    expect(restarted.read(world.storeId)).toMatchObject({ phase: 'switching', pause_seconds: null })
    await world.carryOn()
    expect(world.row()?.phase).toBe('moved')
    expect(world.target.kept.opened).toBe(1)
  })

  test('is given up for a target that is lost for good, and not while it answers', async () => {
    failAt('/open', 20)
    await begin()
    await carryTo('switching')
    const keep = () =>
      world
        .service()
        .cancel(BY, world.storeId, true)
        .catch((error) => error.message)
    expect(await keep()).toContain('The other node answers')
    expect([world.row()?.phase, world.isWritable()]).toEqual(['switching', false])
    world.onRequest = () => {
      throw new Error('No route to host')
    }
    expect(await keep()).toMatchObject({ phase: 'cancelled' })
    expect([world.isWritable(), world.readState()]).toEqual([true, null])
    expect(await keep()).toBe('The store is not moving')
  })

  test('comes to nothing when the target has given the move up, and the store stays', async () => {
    failAt('/open', 3)
    await begin()
    await carryTo('switching')
    world.target.kept.state = 'abandoned'
    await world.carryOn()
    expect(world.row()?.phase).toBe('failed')
    expect([world.isWritable(), world.readState()]).toEqual([true, null])
  })

  test('is taken back when the target refuses to open, once it has said that it never will', async () => {
    await begin()
    const { serve } = world.target
    let isLost = true
    world.target.serve = (method, path, request) => {
      if (path.endsWith('/open')) return { status: 409, json: { error: 'conflict', message: 'No room' } }
      if (method === 'DELETE' && isLost) {
        isLost = false
        serve(method, path, request)
        throw new Error('The answer was lost')
      }
      return serve(method, path, request)
    }
    await world.carryOn()
    expect(world.row()?.phase).toBe('failed')
    expect(world.row()?.error).toContain('No room')
    expect([world.isWritable(), world.target.kept.state]).toEqual([true, 'abandoned'])
  })
})

test('a cancelled move tells the target until it has heard', async () => {
  await begin()
  world.onRequest = (_path, when) => {
    if (when === 'after') throw new Error('The answer was lost')
  }
  await world.service().cancel(BY, world.storeId)
  await world.carryOn(30)
  expect(world.row()).toMatchObject({ phase: 'cancelled', isTargetTold: false })
  world.onRequest = () => {}
  world.kill()
  world.start()
  await world.carryOn()
  expect(world.row()).toMatchObject({ phase: 'cancelled', isTargetTold: true })
  // It is served here as before, from the same memory.
  expect(world.left).toEqual([])
})

test('moves are listed as jobs, with the store', async () => {
  await begin()
  const [running] = world.service().listJobs('processing', undefined, 10)
  expect(running).toMatchObject({
    type: 'store_move',
    status: 'processing',
    total: 4,
    store: { id: world.storeId },
  })
  await world.carryOn()
  const [job] = world.service().listJobs(undefined, undefined, 10)
  expect(job).toMatchObject({ status: 'completed', progress: 1, source: { kind: 'api', name: NEW_URL } })
  expect(world.service().listJobs('failed', undefined, 10)).toEqual([])
  expect(world.service().listJobs(undefined, job?.job_id, 10)).toEqual([])
  const acts = world.db
    .prepare(`SELECT action FROM audit_events WHERE action LIKE 'store.move%' ORDER BY id`)
    .pluck()
    .all()
  expect(acts).toEqual(['store.move_started', 'store.moved'])
})
