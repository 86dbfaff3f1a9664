import type { KnownPicture } from './pictures.ts'
import type { Eyes } from './shop.ts'
import { dot } from './statistics.ts'

/** The languages that can be measured. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const
type Language = (typeof LANGUAGES)[number]

/**
 * Words for the kinds of the drawn set, in the order of {@link LANGUAGES}. Kinds whose words are the same in most languages, such as
 * vase and sofa, would say nothing.
 */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  mug: ['mug', 'Tasse', 'tasse', 'taza', 'tazza', 'mok', 'kubek', 'caneca'],
  plate: ['plate', 'Teller', 'assiette', 'plato', 'piatto', 'bord', 'talerz', 'prato'],
  bottle: ['bottle', 'Flasche', 'bouteille', 'botella', 'bottiglia', 'fles', 'butelka', 'garrafa'],
  chair: ['chair', 'Stuhl', 'chaise', 'silla', 'sedia', 'stoel', 'krzesło', 'cadeira'],
  table: ['table', 'Tisch', 'table', 'mesa', 'tavolo', 'tafel', 'stół', 'mesa'],
  bed: ['bed', 'Bett', 'lit', 'cama', 'letto', 'bed', 'łóżko', 'cama'],
  clock: ['clock', 'Wanduhr', 'horloge', 'reloj', 'orologio', 'klok', 'zegar', 'relógio'],
  shirt: ['shirt', 'Hemd', 'chemise', 'camisa', 'camicia', 'overhemd', 'koszula', 'camisa'],
  dress: ['dress', 'Kleid', 'robe', 'vestido', 'vestito', 'jurk', 'sukienka', 'vestido'],
  trousers: ['trousers', 'Hose', 'pantalon', 'pantalones', 'pantaloni', 'broek', 'spodnie', 'calças'],
  skirt: ['skirt', 'Rock', 'jupe', 'falda', 'gonna', 'rok', 'spódnica', 'saia'],
  shoe: ['shoe', 'Schuh', 'chaussure', 'zapato', 'scarpa', 'schoen', 'but', 'sapato'],
  boot: ['boot', 'Stiefel', 'botte', 'bota', 'stivale', 'laars', 'kozak', 'bota'],
  hat: ['hat', 'Hut', 'chapeau', 'sombrero', 'cappello', 'hoed', 'kapelusz', 'chapéu'],
  backpack: ['backpack', 'Rucksack', 'sac à dos', 'mochila', 'zaino', 'rugzak', 'plecak', 'mochila'],
  handbag: ['handbag', 'Handtasche', 'sac à main', 'bolso', 'borsa', 'handtas', 'torebka', 'bolsa'],
  umbrella: [
    'umbrella',
    'Regenschirm',
    'parapluie',
    'paraguas',
    'ombrello',
    'paraplu',
    'parasol',
    'guarda-chuva',
  ],
  sunglasses: [
    ...['sunglasses', 'Sonnenbrille', 'lunettes de soleil', 'gafas de sol', 'occhiali da sole'],
    ...['zonnebril', 'okulary przeciwsłoneczne', 'óculos de sol'],
  ],
  pillow: ['pillow', 'Kissen', 'coussin', 'almohada', 'cuscino', 'kussen', 'poduszka', 'almofada'],
  pot: ['pot', 'Kochtopf', 'casserole', 'olla', 'pentola', 'pan', 'garnek', 'panela'],
}

/** A language counts as known from this share of what English words find. */
const KNOWN_SHARE = 0.75
/** Below it English itself finds too little for a comparison: chance is 0.05. */
const ENGLISH_MIN = 0.3

/**
 * Says which languages a model knows: for each picture of a kind, the word that fits best must be the kind's own.
 *
 * @returns English alone for a model that finds too little even by that.
 */
export async function findLanguages(catalogue: readonly KnownPicture[], eyes: Eyes): Promise<Language[]> {
  const shares = new Map<Language, number>()
  for (const [n, language] of LANGUAGES.entries()) {
    const words: { kind: string; vector: Float32Array }[] = []
    for (const [kind, all] of Object.entries(WORDS))
      words.push({ kind, vector: (await eyes.read(all[n] as string)).vector })
    let [right, asked] = [0, 0]
    for (const { kind, bytes } of catalogue) {
      if (!Object.hasOwn(WORDS, kind)) continue
      const { vector } = await eyes.see(bytes)
      const best = words.reduce((top, one) => (dot(one.vector, vector) > dot(top.vector, vector) ? one : top))
      asked++
      if (best.kind === kind) right++
    }
    shares.set(language, right / Math.max(1, asked))
  }
  const english = shares.get('en') ?? 0
  if (english < ENGLISH_MIN) return ['en']
  return LANGUAGES.filter(
    (language) => language === 'en' || (shares.get(language) ?? 0) >= KNOWN_SHARE * english,
  )
}
