import { describe, expect, test } from 'bun:test'
import { LANGUAGES, type Language } from '../../src/browser/portal/languages.ts'
import { describe as describeNotice, type NoticeTexts } from '../../src/browser/portal/notices/describe.ts'
import type { StoreFields } from '../../src/features/catalogue/filters/fields/schema.ts'
import type { UnmetDemand } from '../../src/features/discovery/analytics/schema.ts'
import { type Facts, listNotices, type SearchHealth } from '../../src/features/stores/notices/notices.ts'
import { NOTICE_KINDS, type Notice } from '../../src/features/stores/notices/schema.ts'

const textsOf = async (language: Language): Promise<NoticeTexts> =>
  (await import(`../../src/browser/portal/notices/texts/${language}.ts`)).texts

/** A store of which every kind of notice can be told, with one number throughout. */
const factsOf = (count: number, health: SearchHealth['tracking']['status']): Facts => ({
  failedJob: { jobId: 'job_1', total: count, failed: count, warnings: '[]', finishedAt: 0 },
  lastImport: {
    ...{ jobId: 'job_2', total: count, failed: 0, finishedAt: 0 },
    warnings: JSON.stringify(Array.from({ length: count }, (_, i) => `In English ${i}`)),
  },
  report: { madeAt: 0, findings: count },
  feeds: { failing: count, stopped: count, failingId: 'feed_1', stoppedId: 'feed_2', failures: count },
  webhooks: { failing: count, disabled: count, since: null },
  health: { days: count, searches: 50 + count, zero: 50 + count, tracking: { status: health, message: '' } },
  unmet: { searches: 20 + count } as UnmetDemand,
  fields: {
    products: 10 + count,
    counted_at: '2026-11-27T00:00:00Z',
    fields: [{ field: 'in_stock', products: 1, values: [{ value: false, count: 10 + count }] }],
  } as unknown as StoreFields,
  hasAddresses: false,
  usage: {
    warnings: (['products', 'storage'] as const).map((resource) => ({
      ...{ resource, used: count, limit: count, percent: 100, message: '' },
    })) as Facts['usage']['warnings'],
  },
  keys: { expiring_30d: count },
  keysOfFormerMembers: count,
  members: { total: count + 1, enabled: 0 },
  isOwnFactorOn: false,
})

/** One notice of each kind, as the API makes it. */
function makeNotices(count: number): Notice[] {
  const all = ['no_clicks', 'unattributed', 'partial', 'no_purchases'].flatMap((status) =>
    listNotices(factsOf(count, status), () => true),
  )
  return [...new Map(all.map((notice) => [notice.kind, notice])).values()]
}

/** Data of products alone, for one sentence. */
const dataOf = (count: number): Notice['data'] => ({ products: count, total: count })

const say = (texts: NoticeTexts, kind: Notice['kind'], data: Notice['data']) =>
  describeNotice({ kind, data, text: 'In English.' }, texts, String)

describe.each([...LANGUAGES])('notices in %s', (language) => {
  test('each kind of the API has a sentence of its own', async () => {
    const texts = await textsOf(language)
    expect(Object.keys(texts).sort()).toEqual([...NOTICE_KINDS].sort())
    for (const count of [1, 2, 5, 21, 1_234]) {
      const notices = makeNotices(count)
      expect(notices.map(({ kind }) => kind).sort()).toEqual([...NOTICE_KINDS].sort())
      const sentences = notices.map((notice) => describeNotice(notice, texts, String))
      expect(new Set(sentences.map(({ text }) => text)).size).toBe(NOTICE_KINDS.length)
      for (const { text, isEnglish } of sentences) {
        expect(isEnglish).toBe(false)
        // A dash stands for a number that the sentence shows and the API does not send.
        expect(text).toMatch(/^\P{Ll}.*\.$/u)
        expect(text).not.toMatch(/undefined|–| {2}| \.$/)
      }
    }
  })

  test('a kind of a newer service keeps the sentence of the API', async () => {
    const texts = await textsOf(language)
    for (const kind of ['toString', 'moon_eclipse'])
      expect(say(texts, kind as Notice['kind'], {})).toEqual({ text: 'In English.', isEnglish: true })
  })
})

test.each([
  ['en', 1, '1 of 1 product has no name.'],
  ['en', 2, '2 of 2 products have no name.'],
  ['de', 1, '1 von 1 Produkt hat keinen Namen.'],
  ['de', 2, '2 von 2 Produkten haben keinen Namen.'],
  ['es', 2, '2 de 2 productos no tienen nombre.'],
  ['fr', 1, '1 sur 1 produit n’a pas de nom.'],
  ['it', 2, '2 su 2 prodotti sono senza nome.'],
  ['nl', 1, '1 van 1 product heeft geen naam.'],
  ['pl', 1, '1 z 1 produktu nie ma nazwy.'],
  ['pl', 3, '3 z 3 produktów nie mają nazwy.'],
  ['pl', 5, '5 z 5 produktów nie ma nazwy.'],
  ['pt', 2, '2 de 2 produtos não têm nome.'],
] as const)('in %s, %d products without a name: %s', async (language, count, sentence) => {
  expect(say(await textsOf(language), 'products_without_name', dataOf(count)).text).toBe(sentence)
})
