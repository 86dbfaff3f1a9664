import { t } from 'elysia'
import { findProblems, validationError } from '../../../../http/validation.ts'
import { type CommonSearch, common } from '../schema.ts'
import type { SimilarQuery } from '../similar-schema.ts'

/** The parameters of a query string as those of a body. @throws ApiError `validation_error` for a list that is none. */
export function toCommon(query: SimilarQuery): CommonSearch {
  const { facets, fields, tags, explain, exact, analytics, ...same } = query
  return {
    ...same,
    ...readLists({ facets, fields, tags }),
    ...read({ explain, exact, analytics }),
  }
}

const { facets, fields, tags } = common
const Lists = t.Object({ facets, fields, tags })

function readLists(texts: Record<keyof typeof Lists.static, string | undefined>): typeof Lists.static {
  const lists = Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, readList(text)]])),
  )
  const problems = findProblems(Lists, lists, 'query')
  if (problems.length > 0) throw validationError(problems)
  return lists
}

/** A list as JSON text, or separated by commas, as in a form. */
function readList(text: string): unknown {
  if (text.trimStart().startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

const read = (flags: Record<'explain' | 'exact' | 'analytics', 'true' | 'false' | undefined>) =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag === 'true']])),
  ) as Pick<CommonSearch, 'explain' | 'exact' | 'analytics'>
