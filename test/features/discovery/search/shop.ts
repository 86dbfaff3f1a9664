import type { Embedder } from '../../../../src/platform/embedder/embedder.ts'
import { testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'

export interface Result {
  product_id: string
  similarity_score: number
  matched_reference?: number
  group?: { value: unknown; count: number }
  explain?: { cosine: number | null; legs: Record<string, number>; similarity: number; cut: number }
}

export interface Found {
  count: number
  results: Result[]
  search_id: string
  total_candidates: number
  image_id?: string
  query_image?: { image_id: string; width: number; height: number; crop: object | null }
  regions?: { box: object; score: number; category: string | null }[]
  query_categories?: { name: string; score: number }[]
  warnings?: string[]
}

const NAMES: Record<string, number> = { mugs: 1, lamps: 2, tables: 3 }

/**
 * A model that can crop: the right half of a picture shows its last axis alone, the left half its first. Names of
 * categories lie on axes, too.
 */
function croppingEmbedder(): Embedder {
  const fake = fakeEmbedder()
  const embedPicture: Embedder['embedPicture'] = async (bytes, options) => {
    const axes = (/^picture:([\d,]+)/.exec(new TextDecoder().decode(bytes))?.[1] ?? '').split(',')
    const { crop } = options
    const shown = crop && (crop.x >= 0.5 ? axes.slice(-1) : axes.slice(0, 1))
    const seen = shown ? new TextEncoder().encode(`picture:${shown.join(',')}`) : bytes
    const embedded = await fake.embedPicture(seen, { priority: 'search', storeId: options.storeId })
    const { x = 0, y = 0, width = 1, height = 1 } = crop ?? {}
    return {
      ...embedded,
      facts: { ...embedded.facts, object: { x: 0.25, y: 0.25, width: 0.5, height: 0.5 } },
      ...(options.preview && { preview: bytes }),
      ...(crop && { crop: { x, y, width, height } }),
    }
  }
  return {
    ...fake,
    embedPicture,
    embedText: (text, priority) => {
      const axis = NAMES[text.toLowerCase()]
      return fake.embedText(axis === undefined ? text : String(axis), priority)
    },
  }
}

type Product = [id: string, axes: number[], metadata: Record<string, unknown>]

const SHOP: readonly Product[] = [
  ['mug', [1], { category: 'Mugs', price: 10, brand: 'Acme' }],
  ['cup', [1, 4], { category: 'Mugs', price: 8, brand: 'Acme' }],
  ['lamp', [2], { category: 'Lamps', price: 30, brand: 'Zed' }],
  ['torch', [2, 5], { category: 'Lamps', brand: 'Zed' }],
  ['table', [3], { category: 'Tables', price: 100 }],
  ['both', [1, 2], { category: 'Tables', price: 50, brand: 'Zed' }],
]

/** An app with the shop's products, and a way to call its searches. */
export async function openShop(
  plan: 'enterprise' | 'free' = 'enterprise',
  settings: Record<string, string> = {},
) {
  const embedder = croppingEmbedder()
  const app = testApp({ embedder }, settings)
  const token = await app.signIn('shop', plan)
  for (const [product_id, axes, metadata] of SHOP) {
    const image_url = app.picture(product_id, ...axes)
    await app.call('POST', '/v1/products', { token, body: { product_id, image_url, metadata } })
  }
  const call = (path: string, body: unknown) => app.call('POST', `/v1/search/${path}`, { token, body })
  async function search(path: string, body: unknown): Promise<Found> {
    const answer = await call(path, body)
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body as unknown as Found
  }
  return {
    app,
    embedder,
    token,
    call,
    search,
    url: (...axes: number[]) => app.picture(`q${axes.join('-')}`, ...axes),
  }
}

export const idsOf = ({ results }: Found): string[] => results.map(({ product_id }) => product_id)
