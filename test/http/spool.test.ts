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

  test('takes one of four places of its store, and of sixteen in all', async () => {
    await using stack = new AsyncDisposableStack()
    const spool = openSpool()
    const receive = async (owner: string) => stack.use(await spool.receive(request('x'), owner, 100))
    const several = (owner: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => receive(owner)))
    await several('a', 3)
    const last = await spool.receive(request('x'), 'a', 100)
    expect(await refusal(receive('a'))).toBe('overloaded')
    for (const owner of ['b', 'c', 'd']) await several(owner, 4)
    expect(await refusal(receive('e'))).toBe('overloaded')
    await last[Symbol.asyncDispose]()
    expect(await refusal(receive('e'))).toBe('taken')
  })

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
