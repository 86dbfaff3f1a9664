import { describe, expect, test } from 'bun:test'
import { writeLines } from '../../../../src/features/nodes/map/formats.ts'
import { joinMaps, type KnownMap, readMap } from '../../../../src/features/nodes/map/join.ts'
import { hostOf, nameNode } from '../../../../src/features/nodes/map/names.ts'
import type { MapStore } from '../../../../src/features/nodes/map/schema.ts'

const urlOf = (node: string) => `https://node-${node}.search.example`
const idOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** A store as a node tells of it. */
const store = (n: number, node: string, more: Partial<MapStore> = {}): MapStore => ({
  ...{ store_id: idOf(n), slug: `s${n}`, state: 'active', url: urlOf(node), moved_at: null },
  ...{ widget_keys: [], ...more },
})
const moved = (n: number, to: string, day: string): MapStore =>
  store(n, to, { state: 'moved', moved_at: `2030-01-${day}T00:00:00.000Z` })

const map = (node: string, stores: MapStore[], more: Partial<KnownMap> = {}): KnownMap => ({
  ...{ nodes: [urlOf(node)], stores, isFresh: true, knownAt: 100, ...more },
})
const LOST = { isFresh: false, knownAt: 50 }

/** Where the joined map sends store 1. */
function find(maps: readonly KnownMap[]): string | undefined {
  const found = joinMaps(maps).stores.find(({ store_id }) => store_id === idOf(1))
  // The order of the nodes means nothing.
  expect(joinMaps(maps.toReversed()).stores.find(({ store_id }) => store_id === idOf(1))).toEqual(found)
  return found && /node-(.)/.exec(found.url)?.[1]
}

describe('a store belongs to', () => {
  test('the node that serves it, whatever another remembers', () => {
    expect(find([map('a', [store(1, 'a')]), map('b', [])])).toBe('a')
    expect(find([map('a', [moved(1, 'b', '02')]), map('b', [store(1, 'b')])])).toBe('b')
    expect(find([map('a', [store(1, 'a', { state: 'moving' })]), map('b', [])])).toBe('a')
    // It went to B, on to C and back to A.
    expect(
      find([map('a', [store(1, 'a')]), map('b', [moved(1, 'c', '02')]), map('c', [moved(1, 'a', '03')])]),
    ).toBe('a')
  })

  test('a node that does not answer, as long as nobody else serves it', () => {
    expect(find([map('a', [store(1, 'a')], LOST), map('b', [])])).toBe('a')
    expect(find([map('a', [store(1, 'a')], LOST), map('b', [moved(1, 'a', '02')])])).toBe('a')
    expect(find([map('a', [store(1, 'a')], LOST), map('b', [store(1, 'b')], { knownAt: 40 })])).toBe('b')
  })

  test('the later of two that say so', () => {
    expect(find([map('a', [store(1, 'a')]), map('b', [store(1, 'b')], { knownAt: 101 })])).toBe('b')
    expect(find([map('a', [store(1, 'a')], LOST), map('b', [store(1, 'b')], { ...LOST, knownAt: 51 })])).toBe(
      'b',
    )
  })

  test('where it was last moved to, if the node there has never been heard', () => {
    expect(find([map('a', [moved(1, 'b', '02')]), map('b', [moved(1, 'c', '03')])])).toBe('c')
  })
})

test('the joined stores are in the order of their age, and all nodes are named once', () => {
  const { nodes, stores } = joinMaps([
    map('b', [store(3, 'b'), store(1, 'b')], { nodes: [urlOf('b'), urlOf('a')] }),
    map('a', [store(2, 'a')]),
  ])
  expect(nodes).toEqual([urlOf('b'), urlOf('a')])
  expect(stores.map(({ store_id }) => store_id)).toEqual([idOf(1), idOf(2), idOf(3)])
})

test('of two stores with one slug or key the older has it, and the other is told of', () => {
  const key = `pk_live_${'k'.repeat(38)}`
  const { nodes, stores } = joinMaps([
    map('b', [store(2, 'b', { slug: 'lamps', widget_keys: [key] })]),
    map('a', [store(1, 'a', { slug: 'lamps', widget_keys: [key] })]),
  ])
  const doubled: string[] = []
  const onDoubled = (name: string, { store_id }: MapStore) => doubled.push(`${name} ${store_id}`)
  expect([...writeLines('nginx', { nodes, stores, hosts: 'search.example', onDoubled })].join('')).toBe(
    `# Which node serves what; written by Lookalike.
node-b.search.example node-b.search.example;
node-a.search.example node-a.search.example;
lamps.search.example node-a.search.example;
/lamps node-a.search.example;
client:${idOf(1)} node-a.search.example;
${key} node-a.search.example;
client:${idOf(2)} node-b.search.example;
`,
  )
  expect(doubled).toEqual([`lamps.search.example ${idOf(2)}`, `/lamps ${idOf(2)}`, `${key} ${idOf(2)}`])
})

test('what another node says is checked before it is believed', () => {
  const good = { nodes: [urlOf('a')], stores: [store(1, 'a')] }
  expect(readMap({ ...good, later: 'field' })).toMatchObject(good)
  for (const wrong of [
    null,
    [],
    { nodes: [] },
    { ...good, nodes: ['ftp://x'] },
    { ...good, nodes: ['https://a b'] },
    { ...good, nodes: ['https://user@x'] },
    { ...good, nodes: ['https://x\ny'] },
    { ...good, stores: [{ ...store(1, 'a'), url: 'https://x; evil' }] },
    { ...good, stores: [{ ...store(1, 'a'), store_id: '../x' }] },
    { ...good, stores: [{ ...store(1, 'a'), state: 'stolen' }] },
    { ...good, stores: [{ ...store(1, 'a'), widget_keys: 'pk' }] },
  ]) {
    expect(readMap(wrong)).toBeUndefined()
  }
})

test('a node is called by the host of its address', () => {
  expect(nameNode('https://Node-A.search.example')).toBe('node-a.search.example')
  expect(nameNode('https://node-a.search.example/')).toBe('node-a.search.example')
  expect(nameNode('http://10.0.0.1:8080')).toBe('10.0.0.1_8080')
  expect(nameNode('https://x.example/search')).toBe('x.example_search')
  expect(nameNode('http://[::1]:80/')).toMatch(/^[a-z0-9._-]+$/)
  expect(hostOf('https://Node-A.search.example:8443/x')).toBe('node-a.search.example')
})
