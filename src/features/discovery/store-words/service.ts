import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import type { Base } from '../../module.ts'
import type { WordsRead } from './lexicon.ts'
import type { createLexicons } from './lexicons.ts'
import type { StoreWordsQueries } from './queries.ts'
import { nameGroup, readStoreWords, readSynonyms } from './reading.ts'
import type { StoreWords, StoreWordsBody, Synonyms, SynonymsBody } from './schema.ts'

export interface StoreWordsDeps extends Pick<Base, 'atomically' | 'record'> {
  queries: StoreWordsQueries
  lexicons: Pick<ReturnType<typeof createLexicons>, 'find' | 'forgetStore'>
}

export type StoreWordsService = ReturnType<typeof storeWordsService>

/** The version of a store's words. */
export const tagOf = (words: StoreWords): string => versionTag(words)

/** What a store says of words: synonyms, redirects and ignored words (contract 3.19). */
export function storeWordsService({ queries, lexicons, atomically, record }: StoreWordsDeps) {
  return {
    /** What the words of a store make of a query. */
    async readQuery(storeId: string, query: string): Promise<WordsRead> {
      const lexicon = await lexicons.find(storeId)
      return lexicon ? lexicon.read(query) : { text: query, alternatives: [] }
    },

    show: (storeId: string): StoreWords => queries.read(storeId),

    /** Puts other words in the place of all. @throws ApiError `validation_error`, `conflict`. */
    replace(actor: Actor, body: StoreWordsBody, ifMatch: string | null = null): StoreWords {
      const { storeId } = actor
      const words = readStoreWords(body)
      atomically(() => {
        actor.demandStill()
        if (ifMatch !== null) demandVersion(ifMatch, tagOf(queries.read(storeId)))
        queries.replace(storeId, words)
        record(
          describeAct(actor, 'store.words_changed', {
            synonyms: words.synonyms.length,
            redirects: words.redirects.length,
            ignore: words.ignore.length,
          }),
        )
      })
      lexicons.forgetStore(storeId)
      return words
    },

    /** Adds a group behind all others; one that is there already stays as it is. @throws ApiError `validation_error`, `conflict`. */
    addSynonyms(actor: Actor, body: SynonymsBody): Synonyms {
      const { storeId } = actor
      const group = readSynonyms(body)
      const name = nameGroup(group)
      atomically(() => {
        actor.demandStill()
        const { synonyms } = queries.read(storeId)
        if (synonyms.some((known) => nameGroup(known) === name)) return
        if (synonyms.length >= LIMITS.synonymGroupsPerStore) throw full()
        queries.addGroup(storeId, group)
        record(describeAct(actor, 'store.words_changed', { added: group.words }))
      })
      lexicons.forgetStore(storeId)
      return group
    },
  }
}

const full = () => {
  const limit = LIMITS.synonymGroupsPerStore
  return new ApiError('conflict', `The store already has ${limit} groups of synonyms`, { details: { limit } })
}
