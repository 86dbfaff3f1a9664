import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '../../src/core/errors.ts'
import { createSpool } from '../../src/http/spool.ts'
import { createWorkFiles } from '../../src/platform/work-files.ts'
import { countingIds } from '../support/app.ts'

let folder: string
let time = 0
/** Milliseconds that pass whenever somebody looks. */
let step = 0

beforeEach(() => {
  time = 0
  step = 0
  folder = mkdtempSync(join(tmpdir(), 'lookalike-spool-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const pass = (): number => {
  time += step
  return time
}

const openSpool = () =>
  createSpool({
    files: createWorkFiles(folder, { isKept: false }),
    monotonic: () => pass(),
    ids: countingIds(),
  })

type Body = NonNullable<Request['body']>

const request = (body: Body | string, headers: Record<string, string> = {}) =>
  new Request('http://lookalike.test/', { method: 'POST', body, headers })

/** A body that comes in these pieces; a function is called when its turn comes. */
const inPieces = (...pieces: (string | (() => string))[]): Body =>
  new ReadableStream({
    async pull(controller) {
      const piece = pieces.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(typeof piece === 'string' ? piece : piece()))
    },
  })

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'taken',
    (error) => (error instanceof ApiError ? error.code : error),
  )

const readAll = async (pieces: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = ''
  for await (const piece of pieces) text += new TextDecoder().decode(piece)
  return text
}

describe('a body that goes to the disk as it arrives', () => {
  test('can be read again and again, has the hash of its bytes, and is gone when it is disposed of', async () => {
    const text = 'x'.repeat(300_000)
    const body = await openSpool().receive(request(inPieces(text, 'the end')), 'store', 1_000_000)
    expect(await readAll(body.pieces())).toBe(`${text}the end`)
    expect(await readAll(body.pieces())).toBe(`${text}the end`)
    expect(body.sizeBytes).toBe(300_007)
    expect(body.hash).toEqual(createHash('sha256').update(`${text}the end`).digest())
    expect(readdirSync(folder)).toHaveLength(1)
    await body[Symbol.asyncDispose]()
    expect(readdirSync(folder)).toEqual([])
  })

  test('that is larger than allowed is refused, also without an announcement', async () => {
    const spool = openSpool()
    expect(await refusal(spool.receive(request(inPieces('1234', '56')), 'store', 5))).toBe(
      'payload_too_large',
    )
    const announced = request('x', { 'content-length': '6' })
    expect(await refusal(spool.receive(announced, 'store', 5))).toBe('payload_too_large')
    expect(readdirSync(folder)).toEqual([])
  })

  test('that arrives too slowly is cut off', async () => {
    const stalled = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('a'))
      },
    })
    step = 15_000
    expect(await refusal(openSpool().receive(request(stalled), 'store', 100))).toBe('invalid_request')
    expect(readdirSync(folder)).toEqual([])
  })

  test('that breaks off is refused, and leaves nothing', async () => {
    const broken = inPieces('a', () => {
      throw new Error('the connection was reset')
    })
    expect(await refusal(openSpool().receive(request(broken), 'store', 100))).toBe('invalid_request')
    expect(readdirSync(folder)).toEqual([])
  })

  test('takes one of four places of its store; whatever four stores send, a fifth finds a place, up to sixteen', async () => {
    await using stack = new AsyncDisposableStack()
    const spool = openSpool()
    const receive = async (owner: string) => stack.use(await spool.receive(request('x'), owner, 100))
    const greedy = await Promise.all(
      ['a', 'b', 'c', 'd'].flatMap((owner) => [1, 2, 3, 4, 5].map(() => refusal(receive(owner)))),
    )
    expect(greedy.filter((outcome) => outcome === 'taken')).toHaveLength(12)
    for (const owner of ['e', 'f', 'g', 'h']) {
      const own = await spool.receive(request('x'), owner, 100)
      expect(await refusal(receive(owner))).toBe('overloaded')
      if (owner !== 'h') stack.use(own)
      else {
        expect(await refusal(receive('i'))).toBe('overloaded')
        await own[Symbol.asyncDispose]()
      }
    }
    expect(await refusal(receive('i'))).toBe('taken')
  })

  test('gives way to another store while it is slow: its sender may try again', async () => {
    await using stack = new AsyncDisposableStack()
    const spool = openSpool()
    const senders: ReadableStreamDefaultController<Uint8Array>[] = []
    const stalled = () =>
      new ReadableStream<Uint8Array>({
        start(sender) {
          sender.enqueue(new Uint8Array(9))
          senders.push(sender)
        },
      })
    const slow = Array.from({ length: 12 }, (_, n) =>
      spool.receive(request(stalled()), `slow ${n}`, 100).catch((error) => error),
    )
    const quick = await Promise.all(
      ['a', 'b', 'c', 'd'].map((owner) => spool.receive(request('x'), owner, 100)),
    )
    for (const body of quick) stack.use(body)
    // Nobody is slow yet.
    expect(await refusal(spool.receive(request('x'), 'late', 100))).toBe('overloaded')
    time += 3_000
    stack.use(await spool.receive(request('x'), 'late', 100))
    const ended = await Promise.race(slow)
    expect(ended).toMatchObject({ code: 'overloaded', extras: { retryAfterSeconds: 5 } })
    // One was enough, and a body that is here is not slow.
    expect(await refusal(spool.receive(request('x'), 'slow 1', 100))).toBe('overloaded')
    expect(quick.map(({ sizeBytes }) => sizeBytes)).toEqual([1, 1, 1, 1])
    for (const sender of senders.slice(1)) sender.close()
    const bodies = await Promise.all(slow.slice(1))
    for (const body of bodies) stack.use(body)
  })

  test('has 20 seconds for its first MiB', async () => {
    let asked = 0
    const stalling = new ReadableStream<Uint8Array>(
      {
        pull(sender) {
          if (asked++ === 0) return sender.enqueue(new Uint8Array(1024 * 1024 - 1))
          time += 20_001
          return new Promise(() => {})
        },
      },
      { highWaterMark: 0 },
    )
    expect(await refusal(openSpool().receive(request(stalling), 'store', 2_000_000))).toBe('invalid_request')
    expect(readdirSync(folder)).toEqual([])
  }, 5_000)

  test('finds a full disk', async () => {
    const full = async () => {
      throw new ApiError('storage_full', 'The disk is full')
    }
    const spool = createSpool({
      files: { create: full, remove: async () => {} },
      monotonic: () => 0,
      ids: countingIds(),
    })
    expect(await refusal(spool.receive(request('x'), 'a', 100))).toBe('storage_full')
  })
})

test('what a crash left of bodies is deleted at the start, what belongs to jobs is not', async () => {
  for (const [isKept, left] of [
    [true, ['old']],
    [false, []],
  ] as const) {
    writeFileSync(join(folder, 'old'), 'x')
    expect(await createWorkFiles(folder, { isKept }).list()).toEqual([...left])
    if (!isKept) Bun.spawnSync(['mkdir', '-p', folder])
  }
})
