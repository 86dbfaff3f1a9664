import type { CommonSearch } from '../schema.ts'
import type { SimilarQuery } from '../similar-schema.ts'

/** The parameters of a query string as those of a body. */
export function toCommon(query: SimilarQuery): CommonSearch {
  const { facets, fields, tags, explain, exact, analytics, ...same } = query
  return {
    ...same,
    ...split({ facets, fields, tags }),
    ...read({ explain, exact, analytics }),
  }
}

const split = (lists: Record<'facets' | 'fields' | 'tags', string | undefined>) =>
  Object.fromEntries(
    Object.entries(lists).flatMap(([name, text]) =>
      text === undefined
        ? []
        : [
            [
              name,
              text
                .split(',', LIST_MAX)
                .map((word) => word.trim())
                .filter((word) => word !== ''),
            ],
          ],
    ),
  ) as Pick<CommonSearch, 'facets' | 'fields' | 'tags'>

/** Words of a list. */
const LIST_MAX = 100

const read = (flags: Record<'explain' | 'exact' | 'analytics', 'true' | 'false' | undefined>) =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag === 'true']])),
  ) as Pick<CommonSearch, 'explain' | 'exact' | 'analytics'>
