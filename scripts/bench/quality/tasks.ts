import sharp from 'sharp'
import { COLOURS } from '../../../src/commands/model-proof/drawn.ts'
import type { LabelledPicture, LabelledSet } from './sets.ts'
import { describe, type Shop } from './shops.ts'
import { KIND_WORDS } from './vocabulary.ts'

/** One question with its right answers. */
export interface Question {
  /** The request of the service: a path and its JSON body; pictures in base64. */
  path: string
  body: Record<string, unknown>
  /** What the comparisons get: words, a picture, or both. */
  words?: string | undefined
  picture?: Uint8Array | undefined
  /** The product_ids of the right answers. */
  right: ReadonlySet<string>
  /** A product that must not count, because the query shows it. */
  without?: string | undefined
  /** Articles that the catalogue is taken not to have: the request filters them away. */
  absent?: readonly string[] | undefined
}

/** Questions of one sort. */
export interface Task {
  name: string
  questions: Question[]
}

type Fits = (product: LabelledPicture) => boolean

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The products of a set that fit. */
const listRight = ({ catalogue }: LabelledSet, fits: Fits): ReadonlySet<string> =>
  new Set(catalogue.filter(fits).map(({ product_id }) => product_id))

const unique = (values: readonly string[]): string[] => [...new Set(values)].filter((value) => value !== '')

/** How shoppers type the name of a category. */
const toWords = (category: string): string => category.toLowerCase().replaceAll(/[-_]/g, ' ')

/** Changes the places of two letters in the middle of a word of at least five. */
function misspell(words: string): string {
  return words
    .split(' ')
    .map((word) => {
      const at = Math.floor(word.length / 2)
      return word.length < 5 ? word : word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1)
    })
    .join(' ')
}

/** A question to a catalogue without some articles. */
const withoutArticles = (question: Question, absent: readonly string[]): Question => ({
  ...question,
  body: { ...question.body, filters: [{ field: 'article', operator: 'nin', value: absent }] },
  absent,
})

/** Asks for each kind while the catalogue has but one article of it: what is right is outnumbered in the first five. */
function askForLast(
  { catalogue }: LabelledSet,
  kinds: readonly string[],
  ask: (query: string, fits: Fits) => Question,
): Question[] {
  return kinds.flatMap((kind) => {
    const articles = unique(
      catalogue.filter(({ category }) => category === kind).map(({ article }) => article),
    )
    const last = articles.at(-1)
    if (articles.length < 2) return []
    return [
      withoutArticles(
        ask(toWords(kind), ({ article }) => article === last),
        articles.slice(0, -1),
      ),
    ]
  })
}

/** A kind with at most so many products is rare. */
const RARE_MAX = 2

function textTasks(set: LabelledSet, shop: Shop): Task[] {
  const { catalogue } = set
  const ask = (query: string, fits: Fits): Question => ({
    ...{ path: '/v1/search/text', body: { query, limit: 20 }, words: query },
    right: listRight(set, fits),
  })
  const kinds = unique(catalogue.map(({ category }) => category))
  const isKind =
    (kind: string): Fits =>
    (product) =>
      product.category === kind
  const askKinds = (toQuery: (kind: string) => string | undefined) =>
    kinds.flatMap((kind) => {
      const query = toQuery(kind)
      return query === undefined ? [] : [ask(query, isKind(kind))]
    })
  const isRare = ({ right }: Question) => right.size <= RARE_MAX
  const asked = askKinds(toWords)
  const pairs = unique(
    catalogue.flatMap(({ category, color }) => (color === '' ? [] : [`${category}\n${color}`])),
  ).map((pair) => pair.split('\n') as [string, string])
  const isPair =
    (kind: string, hue: string): Fits =>
    (product) =>
      product.category === kind && product.color === hue
  const nameOf = (product: LabelledPicture) => describe(product, shop)['name'] ?? ''
  const names = unique(catalogue.map(nameOf))
  const isNamed =
    (name: string): Fits =>
    (product) =>
      nameOf(product) === name
  const otherWord = (kind: string) => {
    const other = KIND_WORDS[kind]?.other
    return other !== undefined && kinds.includes(other) ? undefined : other
  }
  return [
    { name: 'words: kind', questions: asked.filter((question) => !isRare(question)) },
    { name: 'words: rare kind', questions: asked.filter(isRare) },
    { name: 'words: kind, one article left', questions: askForLast(set, kinds, ask) },
    {
      name: 'words: colour + kind, both right',
      questions: pairs.map(([kind, hue]) => ask(`${hue} ${toWords(kind)}`, isPair(kind, hue))),
    },
    {
      name: 'words: colour + kind, kind right',
      questions: pairs.map(([kind, hue]) => ask(`${hue} ${toWords(kind)}`, isKind(kind))),
    },
    { name: 'words: name', questions: names.map((name) => ask(name, isNamed(name))) },
    { name: 'words: kind, misspelt', questions: askKinds((kind) => misspell(toWords(kind))) },
    { name: 'words: name, misspelt', questions: names.map((name) => ask(misspell(name), isNamed(name))) },
    { name: 'words: German kind', questions: askKinds((kind) => KIND_WORDS[kind]?.german.toLowerCase()) },
    { name: 'words: French kind', questions: askKinds((kind) => KIND_WORDS[kind]?.french) },
    { name: 'words: other words', questions: askKinds(otherWord) },
    { name: 'words: need', questions: askKinds((kind) => KIND_WORDS[kind]?.need) },
    {
      name: 'words: kind, colour filter',
      questions: pairs.map(([kind, hue]) => ({
        ...ask(toWords(kind), isPair(kind, hue)),
        body: { query: toWords(kind), color: hue, limit: 20 },
      })),
    },
    {
      name: 'words + hex colour',
      questions: pairs.flatMap(([kind, hue]) => {
        const hex = COLOURS[hue]
        return hex === undefined
          ? []
          : [
              {
                ...ask(toWords(kind), isPair(kind, hue)),
                ...{ path: '/v1/search/hybrid', body: { query: toWords(kind), colors: [hex], limit: 20 } },
              },
            ]
      }),
    },
  ]
}

/** @param asker what the names of the tasks begin with. @param queries pictures that are not in the catalogue. */
function pictureTasks(set: LabelledSet, asker: string, queries: readonly LabelledPicture[]): Task[] {
  const ask = (query: LabelledPicture, fits: Fits): Question => ({
    ...{ path: '/v1/search/url', body: { image: toBase64(query.bytes), limit: 20 }, picture: query.bytes },
    right: listRight(set, fits),
  })
  const isShown =
    (query: LabelledPicture): Fits =>
    (product) =>
      product.article === query.article
  const known = queries.filter((query) => set.catalogue.some(isShown(query)))
  return [
    { name: `${asker}: same product`, questions: known.map((query) => ask(query, isShown(query))) },
    {
      name: `${asker}: same kind`,
      questions: queries.map((query) => ({
        ...ask(
          query,
          ({ category, product_id }) => category === query.category && product_id !== query.product_id,
        ),
        without: query.product_id,
      })),
    },
    {
      name: `${asker}: same kind, itself absent`,
      questions: known.map((query) => {
        const question = ask(
          query,
          (product) => product.category === query.category && !isShown(query)(product),
        )
        return withoutArticles(question, [query.article])
      }),
    },
    {
      name: `${asker}: other colour`,
      questions: known
        .filter(({ color }) => color !== '')
        .map((query) => ({
          ...ask(query, ({ group, color }) => group === query.group && color !== query.color),
          without: query.product_id,
        })),
    },
  ]
}

/** A product small in a scene, searched with the whole picture and with a crop. */
async function sceneTasks(set: LabelledSet): Promise<Task[]> {
  const known = set.queries.filter(({ article }) =>
    set.catalogue.some((product) => product.article === article),
  )
  if (known.length < 2) return []
  const scenes = await Promise.all(
    known
      .slice(0, SCENES_MAX)
      .map((query, n) => askInScene(set, query, known[(n + 7) % known.length] as LabelledPicture)),
  )
  return [
    { name: 'scene, whole: same product', questions: scenes.map(({ whole }) => whole) },
    { name: 'scene, crop: same product', questions: scenes.map(({ crop }) => crop) },
  ]
}

const SCENES_MAX = 144

/** The product small, beside another one in the same picture. */
async function askInScene(
  set: LabelledSet,
  query: LabelledPicture,
  other: LabelledPicture,
): Promise<{ whole: Question; crop: Question }> {
  const place = async ({ bytes }: LabelledPicture, side: number) =>
    sharp(bytes).resize(side, side, { fit: 'fill' }).toBuffer()
  const box = { x: 0.06, y: 0.55, width: 0.34, height: 0.34 }
  const scene = await sharp({ create: { width: 640, height: 640, channels: 3, background: '#cfc8ba' } })
    .composite([
      {
        input: await place(query, Math.round(640 * box.width)),
        left: Math.round(640 * box.x),
        top: Math.round(640 * box.y),
      },
      { input: await place(other, 330), left: 290, top: 40 },
    ])
    .jpeg({ quality: 80 })
    .toBuffer()
  const right = listRight(set, ({ article }) => article === query.article)
  const image = toBase64(scene)
  const inner = await sharp(query.bytes).resize(218, 218, { fit: 'fill' }).jpeg({ quality: 80 }).toBuffer()
  return {
    whole: { path: '/v1/search/url', body: { image, limit: 20 }, picture: new Uint8Array(scene), right },
    crop: {
      ...{ path: '/v1/search/crop', body: { image, crop: box, limit: 20 }, right },
      picture: new Uint8Array(inner),
    },
  }
}

/** A hybrid search, beside the same question put to each of its legs, and to a fusion of both. */
function hybridTasks(name: string, questions: readonly Question[]): Task[] {
  const alone = (path: string, keep: 'image' | 'query') =>
    questions.map(({ body, words, picture, ...question }) => ({
      ...question,
      ...{ path, body: { [keep]: body[keep], limit: 20 } },
      ...(keep === 'image' ? { picture } : { words }),
    }))
  return [
    { name, questions: [...questions] },
    { name: `${name}: picture alone`, questions: alone('/v1/search/url', 'image') },
    { name: `${name}: words alone`, questions: alone('/v1/search/text', 'query') },
    { name: `${name}: fusion`, questions: questions.map((one) => ({ ...one, path: '/v1/search/fusion' })) },
  ]
}

const askForKind = (set: LabelledSet, query: LabelledPicture): Question => ({
  path: '/v1/search/hybrid',
  body: { image: toBase64(query.bytes), query: toWords(query.category), limit: 20 },
  ...{ words: toWords(query.category), picture: query.bytes },
  right: listRight(
    set,
    ({ category, product_id }) => category === query.category && product_id !== query.product_id,
  ),
  without: query.product_id,
})

/** A picture of one product and the colour of another of its kind: only both together say what is wanted. */
function listColourQuestions(set: LabelledSet): { byWord: Question[]; byHex: Question[] } {
  const byWord: Question[] = []
  const byHex: Question[] = []
  for (const [n, query] of set.queries.entries()) {
    const { category, color, bytes } = query
    const hues = unique(
      set.catalogue
        .filter((product) => product.category === category && product.color !== color)
        .map((product) => product.color),
    )
    const hue = hues[n % Math.max(1, hues.length)]
    if (hue === undefined || color === '') continue
    const right = listRight(set, (product) => product.category === category && product.color === hue)
    const asked = { path: '/v1/search/hybrid', picture: bytes, right }
    const image = toBase64(bytes)
    byWord.push({ ...asked, words: hue, body: { image, query: hue, limit: 20 } })
    const hex = COLOURS[hue]
    if (hex !== undefined) byHex.push({ ...asked, body: { image, colors: [hex], limit: 20 } })
  }
  return { byWord, byHex }
}

/**
 * All questions that a set can answer. They come from its labels alone.
 *
 * @param shop whose names are asked for.
 */
export async function listTasks(set: LabelledSet, shop: Shop = 'all'): Promise<Task[]> {
  const { byWord, byHex } = listColourQuestions(set)
  const tasks = [
    ...textTasks(set, shop),
    ...pictureTasks(set, 'picture', set.queries),
    ...pictureTasks(set, 'view', set.views ?? []),
    ...(await sceneTasks(set)),
    ...hybridTasks('picture + colour word', byWord),
    { name: 'picture + hex colour', questions: byHex },
    ...hybridTasks(
      'picture + kind',
      set.queries.map((query) => askForKind(set, query)),
    ),
  ]
  return tasks
    .map(({ name, questions }) => ({ name, questions: questions.filter(({ right }) => right.size > 0) }))
    .filter(({ questions }) => questions.length > 0)
}
