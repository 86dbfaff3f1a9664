import type { LoggedSearch } from '#generated/api.ts'
import { t } from '../texts/texts.ts'

/** What was looked for, in the shopper's words or as the kind of search. */
export const nameSearch = ({ query, type }: Pick<LoggedSearch, 'query' | 'type'>): string =>
  query ?? t.types[type]
