import { describe, expect, test } from 'bun:test'
import {
  createProductIndex,
  type IndexedStore,
} from '../../../../src/features/catalogue/product-index/product-index.ts'
import { createCategoryNames } from '../../../../src/features/discovery/search/category-names.ts'
import { createVectorArena } from '../../../../src/platform/vectors/arena.ts'
import { DIMENSION, fakeEmbedder } from '../../../support/embedder.ts'

const axis = (n: number) => Float32Array.from({ length: DIMENSION }, (_, i) => Number(i === n))

/** A store with some products of each category, whose pictures lie on an axis. */
function fill(...products: [category: string, axis: number][]) {
  const index = createProductIndex(createVectorArena(DIMENSION))
  let id = 0
  const add = (category: string, at: number) => {
    id++
    const entry = {
      storeId: 's',
      productId: `p${id}`,
      pictureId: id,
      product: id,
      isFirst: true,
      metadata: { category },
    }
    index.put(entry, axis(at))
  }
  for (const [category, at] of products) add(category, at)
  const store = index.findStore('s')
  if (!store) throw new Error('The store is missing')
  return { store, add }
}

function names(bytesMax?: number) {
  const fake = fakeEmbedder()
  const asked: string[] = []
  let isBroken = false
  let now = 0
  const embedText = (text: string) => {
    asked.push(text)
    if (isBroken) return Promise.reject(new Error('the model is gone'))
    return fake.embedText(text, 'index')
  }
  const embedder = { ...fake, embedText }
  const kept = createCategoryNames({
    embedderOf: () => embedder,
    monotonic: () => now,
    ...(bytesMax !== undefined && { bytesMax }),
  })
  const look = (store: IndexedStore, at = 1) => {
    const found = kept.compare('s', store, axis(at))
    return (
      found && {
        reliability: found.reliability,
        names: found.fits.map(({ category }) => store.columns.categories.getLabel(category)),
      }
    )
  }
  return {
    ...{ kept, asked, look },
    breakModel: (broken: boolean) => {
      isBroken = broken
    },
    advance: (ms: number) => {
      now += ms
    },
  }
}

describe('the names of a store’s categories (contract 3.6)', () => {
  test('are embedded once, the last part of a path only; unknown words are left out', async () => {
    const { store } = fill(['Shop > 1', 1], ['Shop > 1', 1], ['2', 2], ['blorf', 3])
    const { kept, asked, look } = names()
    expect(look(store)).toBeUndefined()
    await Promise.all([kept.ready('s', store), kept.ready('s', store)])
    await kept.ready('s', store)
    expect(asked.sort()).toEqual(['1', '2', 'blorf'])
    expect(look(store)?.names).toEqual(['Shop > 1', '2'])
    expect(look(store, 2)?.names).toEqual(['2', 'Shop > 1'])
  })

  test('a name that takes the number of another one has no vector until the names are read again', async () => {
    const { store } = fill(['1', 1], ['2', 2])
    const { kept, look } = names()
    await kept.ready('s', store)
    store.columns.set(1, {
      product: 2,
      productId: 'b',
      isFirst: true,
      document: 0,
      metadata: { category: '3' },
    })
    expect(look(store)?.names).toEqual(['1'])
    await kept.ready('s', store)
    while (look(store)?.names.length !== 2) await Promise.resolve()
    expect(look(store, 3)?.names).toEqual(['3', '1'])
  })

  test('count as much as they tell the store’s own products apart', async () => {
    const reliability = async (...products: [string, number][]) => {
      const { store } = fill(...products)
      const { kept, look } = names()
      await kept.ready('s', store)
      return look(store)?.reliability
    }
    expect(await reliability(['1', 1], ['1', 1], ['2', 2], ['2', 2])).toBe(1)
    expect(await reliability(['1', 2], ['1', 2], ['2', 1], ['2', 1])).toBe(0)
    expect(await reliability(['1', 1], ['1', 2], ['2', 2], ['2', 2])).toBe(0.5)
    // One name, or a handful of products, tells nothing.
    expect(await reliability(['1', 1], ['1', 1], ['1', 1], ['1', 1])).toBe(0)
    expect(await reliability(['1', 1], ['2', 2])).toBe(0)
  })

  test('are read again in the background when the store has changed', async () => {
    const { store, add } = fill(['1', 1], ['1', 1], ['2', 2], ['2', 2])
    const { kept, asked, look } = names()
    await kept.ready('s', store)
    add('3', 3)
    await kept.ready('s', store)
    expect(look(store, 3)?.names).not.toContain('3')
    while (look(store, 3)?.names[0] !== '3') await new Promise((done) => setImmediate(done))
    expect(asked).toEqual(['1', '2', '3'])
  })

  test('are missing where the model fails, and asked for again after half a minute', async () => {
    const { store } = fill(['1', 1])
    const { kept, asked, look, breakModel, advance } = names()
    breakModel(true)
    await kept.ready('s', store)
    expect(look(store)).toBeUndefined()
    breakModel(false)
    await kept.ready('s', store)
    expect([asked.length, look(store)]).toEqual([1, undefined])
    advance(30_000)
    await kept.ready('s', store)
    expect(look(store)?.names).toEqual(['1'])
    kept.forgetStore('s')
    expect([look(store), kept.countBytes()]).toEqual([undefined, 0])
  })

  test('of the store that was searched the longest ago make room', async () => {
    const { store } = fill(['1', 1], ['2', 2])
    const { kept } = names(2 * 2 * (4 * DIMENSION + 256))
    for (const id of ['a', 'b']) await kept.ready(id, store)
    kept.compare('a', store, axis(1))
    await kept.ready('c', store)
    expect(['a', 'b', 'c'].map((id) => kept.compare(id, store, axis(1)) !== undefined)).toEqual([
      true,
      false,
      true,
    ])
  })
})

describe('the names of a store that is switched to another model', () => {
  const next = fakeEmbedder({ id: 'next', hash: 'e'.repeat(64) })

  /** Names whose first model answers when it is told to. */
  function switching() {
    const first = fakeEmbedder()
    const told = Promise.withResolvers<void>()
    const slow = {
      ...first,
      embedText: async (text: string) => {
        await told.promise
        return first.embedText(text, 'index')
      },
    }
    const asked: string[] = []
    const counted = {
      ...next,
      embedText(text: string) {
        asked.push(text)
        return next.embedText(text, 'index')
      },
    }
    let embedder: typeof first = slow
    const kept = createCategoryNames({ embedderOf: () => embedder, monotonic: () => 0 })
    return { kept, asked, counted, answer: told.resolve, flip: () => (embedder = counted) }
  }
  const both = () => [fill(['1', 1], ['2', 2]).store, fill(['1', 1], ['2', 2]).store] as const

  test('are those of the new model, although those of the former one are still being read', async () => {
    const { kept, answer, flip } = switching()
    const [before, after] = both()
    const former = kept.ready('s', before)
    flip()
    await kept.ready('s', after)
    expect(kept.compare('s', after, axis(2))?.fits).toHaveLength(2)
    answer()
    await former
    expect(kept.compare('s', after, axis(2))?.fits).toHaveLength(2)
  })

  test('may be read before the switch, and the first search asks the model for none', async () => {
    const { kept, asked, counted, answer, flip } = switching()
    const [before, after] = both()
    answer()
    await kept.ready('s', before)
    await kept.prepare('s', after, counted)
    expect(kept.compare('s', before, axis(2))?.fits).toHaveLength(2)
    expect(asked.splice(0)).toHaveLength(2)
    flip()
    await kept.ready('s', after)
    expect(kept.compare('s', after, axis(2))?.fits).toHaveLength(2)
    expect(asked).toEqual([])
  })
})
