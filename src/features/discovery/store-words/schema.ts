import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { closed } from '../../../http/closed-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { NAME, text } from '../../../http/text-schema.ts'

const { synonymsMax, storeWordCharsMax, storeWordPartsMax } = LIMITS

const Entry = text({
  minLength: 1,
  maxLength: storeWordCharsMax,
  pattern: NAME,
  description: `One word, or up to ${storeWordPartsMax} that stand together.`,
})

const entries = (description: string) => t.Array(Entry, { minItems: 1, maxItems: synonymsMax, description })

const words = entries('Two or more that mean the same. With `to`: those that also find what `to` says.')
const to = t.Optional(
  entries('What `words` find too. Words of `to` find nothing more than without the group.'),
)

export const Synonyms = named('Synonyms', t.Object({ words, to }), { words: ['sofa', 'couch', 'settee'] })
export type Synonyms = typeof Synonyms.static

export const SynonymsBody = named('SynonymsInput', closed(t.Object({ words, to })), {
  words: ['couch', 'settee'],
  to: ['sofa'],
})
export type SynonymsBody = typeof SynonymsBody.static

const redirect = {
  words: text({
    minLength: 1,
    maxLength: storeWordCharsMax,
    pattern: NAME,
    description: 'The whole query, whatever its case and accents and without ignored words.',
  }),
  url: text({
    minLength: 1,
    maxLength: LIMITS.redirectUrlCharsMax,
    description: 'https, http, or a path of the shop that begins with one slash.',
  }),
}

export const Redirect = named('Redirect', t.Object(redirect))
export type Redirect = typeof Redirect.static

const ignore = { description: 'Words that are taken out of a query before it is searched.' }

export const StoreWords = named(
  'StoreWords',
  t.Object({ synonyms: t.Array(Synonyms), redirects: t.Array(Redirect), ignore: t.Array(Entry, ignore) }),
)
export type StoreWords = typeof StoreWords.static

export const StoreWordsBody = named(
  'StoreWordsInput',
  closed(
    t.Object({
      synonyms: t.Optional(
        t.Array(SynonymsBody, { maxItems: LIMITS.synonymGroupsPerStore, description: 'Absent means none.' }),
      ),
      redirects: t.Optional(
        t.Array(closed(t.Object(redirect)), {
          maxItems: LIMITS.redirectsPerStore,
          description: 'Absent means none.',
        }),
      ),
      ignore: t.Optional(t.Array(Entry, { ...ignore, maxItems: LIMITS.ignoredWordsPerStore })),
    }),
  ),
  {
    synonyms: [{ words: ['sofa', 'couch', 'settee'] }],
    redirects: [{ words: 'returns', url: '/pages/returns' }],
    ignore: ['cheap'],
  },
)
export type StoreWordsBody = typeof StoreWordsBody.static

/** What a row holds, by its kind. */
export const WordRow = t.Union([Synonyms, Redirect, t.Object({ words: Entry })])
