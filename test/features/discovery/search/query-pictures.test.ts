import { describe, expect, test } from 'bun:test'
import {
  createQueryPictures,
  type QueryPictureEntry,
} from '../../../../src/features/discovery/search/query-pictures.ts'
import { countingIds, manualClock } from '../../../support/app.ts'

const entry = (bytes: number): QueryPictureEntry => ({
  width: 10,
  height: 10,
  regions: [],
  preview: new Uint8Array(bytes),
  seen: { key: '', model: 1, vector: new Float32Array(4), crop: null },
})
const OVERHEAD = 1_024 + 16

function pictures(bytesMax: number) {
  const clock = manualClock('2030-01-01T00:00:00Z')
  return { clock, kept: createQueryPictures({ ids: countingIds(), clock, bytesMax }) }
}

describe('query pictures that can be named again (contract 3.3)', () => {
  test('the store that holds most makes room, with its oldest', () => {
    const { kept } = pictures(10 * (1_000 + OVERHEAD))
    const quiet = kept.remember({ storeId: 'quiet' }, entry(1_000))
    const loud = Array.from({ length: 20 }, () => kept.remember({ storeId: 'loud' }, entry(1_000)))
    expect(kept.recall({ storeId: 'quiet' }, quiet)).toBeDefined()
    expect(loud.map((id) => kept.recall({ storeId: 'loud' }, id) !== undefined)).toEqual(
      Array.from({ length: 20 }, (_, n) => n >= 11),
    )
    expect(kept.countBytes()).toBe(10 * (1_000 + OVERHEAD))
  })

  test('a widget key reaches only what came with it, the store all of its own', () => {
    const { kept } = pictures(100_000)
    const byKey = kept.remember({ storeId: 'a', owner: 'key 1' }, entry(1))
    const byStore = kept.remember({ storeId: 'a' }, entry(1))
    const reach = (storeId: string, owner?: string) =>
      [byKey, byStore].map((id) => kept.recall({ storeId, owner }, id) !== undefined)
    expect(reach('a', 'key 1')).toEqual([true, false])
    expect(reach('a', 'key 2')).toEqual([false, false])
    expect(reach('a')).toEqual([true, true])
    expect(reach('b')).toEqual([false, false])
    expect(reach('b', 'key 1')).toEqual([false, false])
  })

  test('a picture ends after 15 minutes, and its bytes with the next tidying; a forgotten store holds none', () => {
    const { kept, clock } = pictures(100_000)
    const old = kept.remember({ storeId: 'a' }, entry(1_000))
    clock.advance(10 * 60_000)
    const young = kept.remember({ storeId: 'a' }, entry(1_000))
    clock.advance(5 * 60_000)
    expect(kept.recall({ storeId: 'a' }, old)).toBeUndefined()
    expect(kept.countBytes()).toBe(2 * (1_000 + OVERHEAD))
    kept.prune()
    expect(kept.countBytes()).toBe(1_000 + OVERHEAD)
    expect(kept.recall({ storeId: 'a' }, young)).toBeDefined()
    kept.forgetStore('a')
    expect([kept.countBytes(), kept.recall({ storeId: 'a' }, young)]).toEqual([0, undefined])
  })
})
