import sharp from 'sharp'
import type { LabelledPicture, LabelledSet } from './sets.ts'

/** Sends a body in JSON to a running service. */
export type Call = (path: string, body: unknown) => Promise<{ status: number; body: Record<string, unknown> }>

/** Scores that a service answers, by what is known of the query and the product. */
export interface Anchored {
  /** A picture of the catalogue at half its size, and its product. */
  same: number[]
  /** Another view of a product, and the product. */
  alike: number[]
  /** A picture, and other products of its kind. */
  kind: number[]
  /** A picture, and products of other kinds. */
  unrelated: number[]
  /** The words for a kind, and its products. */
  words: number[]
  /** The words for a kind, and other products. */
  otherWords: number[]
}

/** What scores are to mean, whatever the model. */
const ANCHORS: readonly { of: keyof Anchored; what: string; holds: (score: number) => boolean }[] = [
  { of: 'same', what: 'the same picture at half size: ≥ 0.97', holds: (score) => score >= 0.97 },
  { of: 'alike', what: 'another view of the product: ≥ 0.8', holds: (score) => score >= 0.8 },
  { of: 'kind', what: 'another product of the kind: ≥ 0.5', holds: (score) => score >= 0.5 },
  { of: 'unrelated', what: 'a product of another kind: ≤ 0.5', holds: (score) => score <= 0.5 },
  { of: 'words', what: 'words for its kind: ≥ 0.5', holds: (score) => score >= 0.5 },
  { of: 'otherWords', what: 'words for another kind: ≤ 0.5', holds: (score) => score <= 0.5 },
]

/** The most that one answer holds. What it leaves out scores less than its last hit, and counts as 0. */
const LIMIT = 100
/** Queries of each sort; of more, every so manieth is asked. */
const QUERIES_MAX = 60

/** Asks a service that holds the catalogue of a set. */
export async function measureAnchors(set: LabelledSet, call: Call): Promise<Anchored> {
  const found: Anchored = { same: [], alike: [], kind: [], unrelated: [], words: [], otherWords: [] }
  const firsts = [...Map.groupBy(set.catalogue, ({ product_id }) => product_id).values()].flatMap(
    ([first]) => first ?? [],
  )
  const ask = async (path: string, body: object): Promise<(id: string) => number> => {
    const answer = await call(path, { ...body, limit: LIMIT, analytics: false })
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    const hits = answer.body['results'] as { product_id: string; similarity_score: number }[]
    const scores = new Map(hits.map((hit) => [hit.product_id, hit.similarity_score]))
    return (id) => scores.get(id) ?? 0
  }
  const askByPicture = (bytes: Uint8Array) =>
    ask('/v1/search/url', { image: Buffer.from(bytes).toString('base64') })

  for (const own of thin(firsts)) {
    const scoreOf = await askByPicture(await halve(own.bytes))
    found.same.push(scoreOf(own.product_id))
    for (const other of firsts) {
      if (other.article === own.article) continue
      const isKind = other.category === own.category
      found[isKind ? 'kind' : 'unrelated'].push(scoreOf(other.product_id))
    }
  }
  const ids = new Set(firsts.map(({ product_id }) => product_id))
  for (const view of thin(listViews(set).filter(({ product_id }) => ids.has(product_id))))
    found.alike.push((await askByPicture(view.bytes))(view.product_id))
  for (const kind of thin([...new Set(firsts.map(({ category }) => category))])) {
    const scoreOf = await ask('/v1/search/text', { query: kind.toLowerCase().replaceAll(/[-_]/g, ' ') })
    for (const { category, product_id } of firsts)
      found[category === kind ? 'words' : 'otherWords'].push(scoreOf(product_id))
  }
  return found
}

const listViews = ({ queries, views = [] }: LabelledSet): LabelledPicture[] => [...queries, ...views]

function thin<Item>(items: readonly Item[]): Item[] {
  const every = Math.ceil(items.length / QUERIES_MAX)
  return items.filter((_, n) => n % every === 0)
}

async function halve(bytes: Uint8Array): Promise<Uint8Array> {
  const { width } = await sharp(bytes).metadata()
  return new Uint8Array(
    await sharp(bytes)
      .resize(Math.round(width / 2))
      .jpeg({ quality: 80 })
      .toBuffer(),
  )
}

/** A table of the anchors: for each model how often one holds, and the median of its scores. */
export function tabulateAnchors(models: readonly { name: string; anchored: Anchored }[]): string[][] {
  return [
    ['anchor', ...models.map(({ name }) => `${name}: holds, median score`)],
    ...ANCHORS.filter(({ of }) => models.some(({ anchored }) => anchored[of].length > 0)).map(
      ({ of, what, holds }) => [what, ...models.map(({ anchored }) => showShare(anchored[of], holds))],
    ),
  ]
}

function showShare(scores: readonly number[], holds: (score: number) => boolean): string {
  if (scores.length === 0) return ''
  const share = (100 * scores.filter(holds).length) / scores.length
  const middle = scores.toSorted((a, b) => a - b)[scores.length >> 1] as number
  return `${share.toFixed(1)} %, ${middle.toFixed(3)} (${scores.length})`
}
