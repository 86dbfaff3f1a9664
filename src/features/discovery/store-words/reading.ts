import { LIMITS } from '../../../core/limits.ts'
import type { Problem } from '../../../core/problem.ts'
import { findRedirectFault } from '../../../core/redirect-url.ts'
import { fold, splitWords } from '../../../core/text.ts'
import { turn } from '../../../core/turns.ts'
import { validationError } from '../../../http/validation.ts'
import type { Redirect, StoreWords, StoreWordsBody, Synonyms } from './schema.ts'

/** Entries of groups that are read in one step of the event loop: some 2 ms of work. */
const STEP = 1_000

/**
 * Reads the words of a store from a request, in steps: what it says twice is kept once.
 *
 * @throws ApiError `validation_error` with every problem.
 */
export async function readStoreWords({
  synonyms = [],
  redirects = [],
  ignore = [],
}: StoreWordsBody): Promise<StoreWords> {
  const problems: Problem[] = []
  const groups = new Map<string, Synonyms>()
  let left = STEP
  for (const [n, group] of synonyms.entries()) {
    if (left <= 0) {
      await turn()
      left = STEP
    }
    left -= group.words.length + (group.to?.length ?? 0)
    problems.push(...checkSynonyms(group, `/synonyms/${n}`))
    const folded = foldGroup(group)
    const name = nameGroup(folded)
    if (!groups.has(name)) groups.set(name, folded)
  }
  problems.push(...checkRedirects(redirects), ...checkEntries(ignore, '/ignore'))
  if (problems.length > 0) throw validationError(problems)
  return {
    synonyms: [...groups.values()],
    redirects: keepFirst(redirects, ({ words }) => fold(words)),
    ignore: keepFirst(ignore, fold),
  }
}

/** Reads one group. @throws ApiError `validation_error`. */
export function readSynonyms(group: Synonyms): Synonyms {
  const problems = checkSynonyms(group, '')
  if (problems.length > 0) throw validationError(problems)
  return foldGroup(group)
}

/** Two groups with the same name say the same. */
export const nameGroup = ({ words, to }: Synonyms): string => JSON.stringify([words.map(fold), to?.map(fold)])

const foldGroup = ({ words, to }: Synonyms): Synonyms => ({
  words: keepFirst(words, fold),
  ...(to && { to: keepFirst(to, fold) }),
})

function keepFirst<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  const kept = new Map<string, Item>()
  for (const item of items) {
    const name = nameOf(item)
    if (!kept.has(name)) kept.set(name, item)
  }
  return [...kept.values()]
}

function checkSynonyms({ words, to }: Synonyms, pointer: string): Problem[] {
  const problems = [...checkEntries(words, `${pointer}/words`), ...checkEntries(to ?? [], `${pointer}/to`)]
  if (to || keepFirst(words, fold).length > 1) return problems
  const message = 'must have two different words, or the group must have to'
  return [...problems, { in: 'body', pointer: `${pointer}/words`, code: 'min_items', message }]
}

/** @param pointer of their list. */
function checkEntries(entries: readonly string[], pointer: string): Problem[] {
  return entries.flatMap((entry, n): Problem[] => {
    const { length } = splitWords(entry)
    const at = `${pointer}/${n}`
    if (length === 0)
      return [{ in: 'body', pointer: at, code: 'pattern', message: 'must have a letter or a digit' }]
    const most = LIMITS.storeWordPartsMax
    if (length > most)
      return [{ in: 'body', pointer: at, code: 'max', message: `must have at most ${most} words` }]
    return []
  })
}

function checkRedirects(redirects: readonly Redirect[]): Problem[] {
  const known = new Map<string, string>()
  return redirects.flatMap(({ words, url }, n): Problem[] => {
    const place = { in: 'body' as const, pointer: `/redirects/${n}` }
    const fault = findRedirectFault(url)
    if (fault) return [{ ...place, pointer: `${place.pointer}/url`, code: 'url', message: fault }]
    if (splitWords(words).length === 0)
      return [
        {
          ...place,
          pointer: `${place.pointer}/words`,
          code: 'pattern',
          message: 'must have a letter or a digit',
        },
      ]
    const name = fold(words)
    const other = known.get(name)
    known.set(name, other ?? url)
    if (other === undefined || other === url) return []
    return [
      {
        ...place,
        pointer: `${place.pointer}/words`,
        code: 'duplicate',
        message: 'leads to another address already',
      },
    ]
  })
}
