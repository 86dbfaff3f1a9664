import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { NODE_URL_PATTERN } from './names.ts'
import { type MapStore, STORE_STATES } from './schema.ts'

const Url = Type.String({ maxLength: 2_048, pattern: NODE_URL_PATTERN })

/** What another node or a file may say; more fields may come with later versions. */
const ForeignMap = Type.Object({
  nodes: Type.Array(Url, { maxItems: 1_001 }),
  stores: Type.Array(
    Type.Object({
      store_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
      slug: Type.String({ maxLength: 100 }),
      state: Type.Union(STORE_STATES.map((name) => Type.Literal(name))),
      url: Url,
      moved_at: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
      widget_keys: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1_000 }),
    }),
  ),
})
export type ForeignMap = Static<typeof ForeignMap>

const compiled = TypeCompiler.Compile(ForeignMap)

/** Checks a map that came from outside. @returns undefined for anything else than a map. */
export const readMap = (value: unknown): ForeignMap | undefined => (compiled.Check(value) ? value : undefined)

/** The map of one node as it was last known. */
export interface KnownMap extends ForeignMap {
  /** Whether the node said so just now; otherwise it did not answer, and this is what it said before. */
  isFresh: boolean
  /** When it said so, Unix ms. */
  knownAt: number
}

interface Claim {
  store: MapStore
  map: KnownMap
}

/**
 * Joins the maps of several nodes, so that each store has one node: the one that serves it by its own word. The word of a node that
 * answers goes before the last word of one that does not, a later word before an earlier one, and a store that nobody serves is
 * looked for where it was last moved to.
 *
 * @returns the stores, oldest first: of two with one slug the older has it.
 */
export function joinMaps(maps: readonly KnownMap[]): { nodes: string[]; stores: MapStore[] } {
  const best = new Map<string, Claim>()
  for (const map of maps) {
    for (const store of map.stores) {
      const claim = { store, map }
      const other = best.get(store.store_id)
      if (!other || isBetter(claim, other)) best.set(store.store_id, claim)
    }
  }
  return {
    nodes: [...new Set(maps.flatMap(({ nodes }) => nodes))],
    stores: [...best.values()]
      .map(({ store }) => store)
      .sort((a, b) => (a.store_id < b.store_id ? -1 : a.store_id > b.store_id ? 1 : 0)),
  }
}

function isBetter(one: Claim, other: Claim): boolean {
  const [serves, otherServes] = [isServing(one), isServing(other)]
  if (serves !== otherServes) return serves
  if (!serves) return (one.store.moved_at ?? '') > (other.store.moved_at ?? '')
  return one.map.isFresh === other.map.isFresh ? one.map.knownAt > other.map.knownAt : one.map.isFresh
}

const isServing = ({ store }: Claim): boolean => store.state !== 'moved'
