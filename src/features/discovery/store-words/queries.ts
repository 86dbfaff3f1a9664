import type { Db } from '../../../platform/db/open.ts'
import type { Redirect, StoreWords, Synonyms } from './schema.ts'

type Kind = 'synonyms' | 'redirect' | 'ignore'

export type StoreWordsQueries = ReturnType<typeof storeWordsQueries>

/** All SQL about the words of stores. Each group, redirect and ignored word is a row. */
export function storeWordsQueries(db: Db) {
  const list = db.prepare<[storeId: string], { kind: Kind; entry: string }>(
    'SELECT kind, entry FROM store_words WHERE store_id = ? ORDER BY kind, place',
  )
  const has = db.prepare<[storeId: string], 1>('SELECT 1 FROM store_words WHERE store_id = ? LIMIT 1').pluck()
  const groups = db.prepare<[storeId: string], { count: number; last: number }>(`
    SELECT count(*) AS count, coalesce(max(place), 0) AS last FROM store_words
    WHERE store_id = ? AND kind = 'synonyms'`)
  const removeAll = db.prepare('DELETE FROM store_words WHERE store_id = ?')
  const add = db.prepare(
    'INSERT INTO store_words (store_id, kind, place, entry) VALUES (@storeId, @kind, @place, @entry)',
  )
  const put = (storeId: string, kind: Kind, place: number, entry: Synonyms | Redirect | { words: string }) =>
    add.run({ storeId, kind, place: BigInt(place), entry: JSON.stringify(entry) })

  return {
    /** Whether a store has any; a look at one page. */
    has: (storeId: string): boolean => has.get(storeId) !== undefined,

    read(storeId: string): StoreWords {
      const rows = list.all(storeId)
      const listOf = <Entry>(wanted: Kind): Entry[] =>
        rows.flatMap(({ kind, entry }) => (kind === wanted ? [JSON.parse(entry) as Entry] : []))
      return {
        synonyms: listOf<Synonyms>('synonyms'),
        redirects: listOf<Redirect>('redirect'),
        ignore: listOf<{ words: string }>('ignore').map(({ words }) => words),
      }
    },

    replace(storeId: string, { synonyms, redirects, ignore }: StoreWords): void {
      removeAll.run(storeId)
      for (const [n, group] of synonyms.entries()) put(storeId, 'synonyms', n + 1, group)
      for (const [n, redirect] of redirects.entries()) put(storeId, 'redirect', n + 1, redirect)
      for (const [n, words] of ignore.entries()) put(storeId, 'ignore', n + 1, { words })
    },

    countGroups: (storeId: string): number => groups.get(storeId)?.count ?? 0,
    addGroup(storeId: string, group: Synonyms): void {
      put(storeId, 'synonyms', (groups.get(storeId)?.last ?? 0) + 1, group)
    },
  }
}
