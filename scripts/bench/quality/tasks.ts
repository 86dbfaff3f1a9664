import sharp from 'sharp'
import type { LabelledPicture, LabelledSet } from './sets.ts'
import { GERMAN, OTHER_WORDS } from './shops.ts'

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
}

/** Questions of one sort. */
export interface Task {
  name: string
  questions: Question[]
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The products of a set that fit, apart from one. */
function listRight(
  { catalogue }: LabelledSet,
  fits: (product: LabelledPicture) => boolean,
  without?: string,
): ReadonlySet<string> {
  return new Set(
    catalogue
      .filter((product) => product.product_id !== without && fits(product))
      .map((product) => product.product_id),
  )
}

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

function textTasks(set: LabelledSet): Task[] {
  const ask = (query: string, right: ReadonlySet<string>): Question => ({
    ...{ path: '/v1/search/text', body: { query, limit: 20 }, words: query, right },
  })
  const { catalogue } = set
  const kinds = unique(catalogue.map(({ category }) => category))
  const pairs = unique(
    catalogue.flatMap(({ category, color }) => (color === '' ? [] : [`${category}\n${color}`])),
  ).map((pair) => pair.split('\n') as [string, string])
  const names = catalogue.filter(({ name }) => name !== '')
  return [
    {
      name: 'words: kind',
      questions: kinds.map((kind) =>
        ask(
          toWords(kind),
          listRight(set, ({ category }) => category === kind),
        ),
      ),
    },
    {
      name: 'words: colour + kind',
      questions: pairs.map(([kind, hue]) =>
        ask(
          `${hue} ${toWords(kind)}`,
          listRight(set, ({ category, color }) => category === kind && color === hue),
        ),
      ),
    },
    {
      name: 'words: name',
      questions: names.map(({ name, product_id }) => ask(name, new Set([product_id]))),
    },
    {
      name: 'words: kind, misspelt',
      questions: kinds.map((kind) =>
        ask(
          misspell(toWords(kind)),
          listRight(set, ({ category }) => category === kind),
        ),
      ),
    },
    {
      name: 'words: name, misspelt',
      questions: names.map(({ name, product_id }) => ask(misspell(name), new Set([product_id]))),
    },
    {
      name: 'words: German kind',
      questions: kinds.flatMap((kind) => {
        const german = GERMAN[kind]
        return german === undefined
          ? []
          : [
              ask(
                german.toLowerCase(),
                listRight(set, ({ category }) => category === kind),
              ),
            ]
      }),
    },
    {
      name: 'words: other words',
      questions: kinds.flatMap((kind) => {
        const other = OTHER_WORDS[kind]
        const right = listRight(set, ({ category }) => category === kind)
        return other === undefined || kinds.includes(other) ? [] : [ask(other, right)]
      }),
    },
    {
      name: 'words: kind, colour filter',
      questions: pairs.map(([kind, hue]) => ({
        ...ask(
          toWords(kind),
          listRight(set, ({ category, color }) => category === kind && color === hue),
        ),
        body: { query: toWords(kind), color: hue, limit: 20 },
      })),
    },
  ]
}

async function pictureTasks(set: LabelledSet): Promise<Task[]> {
  const ask = (query: LabelledPicture, right: ReadonlySet<string>): Question => ({
    ...{ path: '/v1/search/url', body: { image: toBase64(query.bytes), limit: 20 } },
    ...{ picture: query.bytes, right },
  })
  const { queries } = set
  const known = queries.filter(({ product_id }) =>
    set.catalogue.some((other) => other.product_id === product_id),
  )
  const crops =
    known.length > 1 ? await Promise.all(known.map((query, n) => askInScene(query, known, n))) : []
  return [
    {
      name: 'picture: same product',
      questions: known.map((query) => ask(query, new Set([query.product_id]))),
    },
    {
      name: 'picture: same kind',
      questions: queries.map((query) => ({
        ...ask(
          query,
          listRight(set, ({ category }) => category === query.category, query.product_id),
        ),
        without: query.product_id,
      })),
    },
    { name: 'scene, whole: same product', questions: crops.map(({ whole }) => whole) },
    { name: 'scene, crop: same product', questions: crops.map(({ crop }) => crop) },
    ...hybridTasks(
      'picture + colour word',
      known.flatMap((query, n) => askForColour(set, query, n)),
    ),
    ...hybridTasks(
      'picture + kind',
      queries.map((query) => askForKind(set, query)),
    ),
  ]
}

/** The product small, beside another one in the same picture. */
async function askInScene(
  query: LabelledPicture,
  others: readonly LabelledPicture[],
  n: number,
): Promise<{ whole: Question; crop: Question }> {
  const other = others[(n + 7) % others.length] as LabelledPicture
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
  const right = new Set([query.product_id])
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

/** A hybrid search, beside the same question put to each of its legs. */
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
  ]
}

const askForKind = (set: LabelledSet, query: LabelledPicture): Question => ({
  path: '/v1/search/hybrid',
  body: { image: toBase64(query.bytes), query: toWords(query.category), limit: 20 },
  ...{ words: toWords(query.category), picture: query.bytes },
  right: listRight(set, ({ category }) => category === query.category, query.product_id),
  without: query.product_id,
})

/** A picture of one product and the colour of another of its kind: only both together say what is wanted. */
function askForColour(set: LabelledSet, query: LabelledPicture, n: number): Question[] {
  const hues = unique(
    set.catalogue
      .filter(({ category, color }) => category === query.category && color !== query.color)
      .map(({ color }) => color),
  )
  const hue = hues[n % Math.max(1, hues.length)]
  if (hue === undefined || query.color === '') return []
  return [
    {
      path: '/v1/search/hybrid',
      body: { image: toBase64(query.bytes), query: hue, limit: 20 },
      ...{ words: hue, picture: query.bytes },
      right: listRight(set, ({ category, color }) => category === query.category && color === hue),
    },
  ]
}

/** All questions that a set can answer. */
export async function listTasks(set: LabelledSet): Promise<Task[]> {
  const tasks = [...textTasks(set), ...(await pictureTasks(set))]
  return tasks
    .map(({ name, questions }) => ({ name, questions: questions.filter(({ right }) => right.size > 0) }))
    .filter(({ questions }) => questions.length > 0)
}
