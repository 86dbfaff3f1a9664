import { expect, test } from 'bun:test'
import type { CallerStore } from '../../../../src/core/actor.ts'
import { turn } from '../../../../src/core/turns.ts'
import { createWriteGate } from '../../../../src/core/write-gate.ts'
import {
  createThumbnailMaker,
  type ThumbnailMakerDeps,
} from '../../../../src/features/catalogue/products/thumbnail-maker.ts'
import type { SeenPicture } from '../../../../src/platform/embedder/embedder.ts'

const SLOW_MS = 15_000
const QUICK_MS = 50
const NONE = { imageUrl: '', contentHash: Buffer.alloc(32), isPrecomputed: false }

/** Stores whose pictures take a time of their own, on a clock that jumps to the next one that is read. */
function openWorld(pictures: Record<string, { ids: number[]; takesMs: number }>) {
  let now = 0
  const reading: { storeId: string; endsAt: number; end(): void }[] = []
  const deps: Pick<ThumbnailMakerDeps, 'clock' | 'drawPicture' | 'findStore'> = {
    clock: { now: () => now, monotonic: () => now } as ThumbnailMakerDeps['clock'],
    findStore: (id) => ({ id }) as CallerStore,
    drawPicture: (storeId) =>
      new Promise((resolve) => {
        const end = () => resolve({} as SeenPicture)
        reading.push({ storeId, endsAt: now + (pictures[storeId]?.takesMs ?? 0), end })
      }),
  }
  const queries: ThumbnailMakerDeps['queries'] = {
    add() {},
    has: () => false,
    listStores: (after, limit) =>
      Object.keys(pictures)
        .filter((id) => id > after && pictures[id]?.ids.length)
        .toSorted()
        .slice(0, limit),
    listWaiting: (storeId, after, limit) =>
      (pictures[storeId]?.ids ?? [])
        .filter((id) => id > after)
        .slice(0, limit)
        .map((id) => ({ ...NONE, id })),
    noteMade: () => true,
    noteCutOff() {},
    noteFailed() {},
    listUnwanting: () => [],
    removeSome: () => 0,
  }
  const maker = createThumbnailMaker({
    ...deps,
    queries,
    thumbnails: { findSide: () => 192 },
    atomically: (work: () => unknown) => work(),
    withoutFsync: (work: () => unknown) => work(),
    reportFault() {},
    gate: createWriteGate(),
    log: {},
  } as unknown as ThumbnailMakerDeps)

  return {
    wake: maker.wake,
    /** Ends the picture that is read first. @returns its store. */
    async step(): Promise<string> {
      const first = reading.toSorted((a, b) => a.endsAt - b.endsAt)[0]
      if (!first) throw new Error('No picture is read')
      reading.splice(reading.indexOf(first), 1)
      now = first.endsAt
      first.end()
      for (let turns = 0; turns < 3; turns++) await turn()
      return first.storeId
    },
  }
}

const range = (length: number) => Array.from({ length }, (_, n) => n + 1)

test('stores whose hosts are slow hold another one up for a picture or two, also one that comes later', async () => {
  const pictures: Parameters<typeof openWorld>[0] = {
    a: { ids: range(500), takesMs: SLOW_MS },
    b: { ids: range(500), takesMs: SLOW_MS },
  }
  const { wake, step } = openWorld(pictures)
  wake()
  for (let n = 0; n < 10; n++) await step()
  pictures['c'] = { ids: range(200), takesMs: QUICK_MS }
  const read: string[] = []
  while (read.filter((id) => id === 'c').length < 200) read.push(await step())
  expect(read.filter((id) => id !== 'c').length).toBeLessThanOrEqual(6)
})

test('every store is found, however many wait', async () => {
  const pictures = Object.fromEntries(
    range(120).map((n) => [`s${String(n).padStart(3, '0')}`, { ids: [1], takesMs: QUICK_MS }]),
  )
  const { wake, step } = openWorld(pictures)
  wake()
  const read: string[] = []
  for (let n = 0; n < 120; n++) {
    wake()
    read.push(await step())
  }
  expect(read.toSorted()).toEqual(Object.keys(pictures))
})
