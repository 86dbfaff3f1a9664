import type { Shade } from './shades.ts'
import { listWords, SHADE_WORDS, TONE_WORDS } from './words.ts'

/*
 * Words of seven languages that nearly always mean a colour in a query of that language. Those that also mean a thing are left out,
 * such as the French "crème".
 */

const DE = 'e|er|es|en|em'
const PL = 'y|a|e|ego|ej|ym|ych|ymi'

const WORDS: Readonly<Record<string, string>> = {
  de: `schwarz(|${DE}), weiß(|${DE}), weiss(|${DE}), grau(|${DE}), rot(|${DE}), orange, orangefarben(|${DE}), gelb(|${DE}), grün(|${DE}), gruen(|${DE}), blau(|${DE}), lila, violett(|${DE}), rosa, pink(|${DE}), braun(|${DE}), beige, türkis(|${DE}), silber(|n|ne|ner|nes), silbern, gold(|en), golden(|${DE}), bunt(|${DE}), hellblau, dunkelrot, weinrot(|${DE}), marineblau, anthrazit, oliv, olivgrün, bordeaux`,
  fr: `noir(|e|s|es), blanc(|he|s|hes), gris(|e|es), rouge(|s), orange(|s), jaune(|s), vert(|e|s|es), bleu(|e|s|es), violet(|s|te|tes), rose(|s), brun(|e|s|es), marron(|s), beige(|s), turquoise(|s), argenté(|e|s|es), doré(|e|s|es), multicolore(|s), bleu marine, bordeaux, kaki`,
  es: `negr(o|a|os|as), blanc(o|a|os|as), gris(|es), roj(o|a|os|as), naranja(|s), amarill(o|a|os|as), verde(|s), azul(|es), morad(o|a|os|as), violeta(|s), rosa(|s), rosad(o|a|os|as), marrón, marron(|es), beige, beis, turquesa, platead(o|a|os|as), dorad(o|a|os|as), multicolor(|es), azul marino, granate`,
  it: `ner(o|a|i|e), bianc(o|a|hi|he), grigi(o|a|e), ross(o|a|i|e), arancione, arancioni, giall(o|a|i|e), verd(e|i), blu, azzurr(o|a|i|e), viola, rosa, marrone, marroni, beige, turchese, argentat(o|a|i|e), dorat(o|a|i|e), multicolore, bordeaux, celeste`,
  nl: `zwart(|e), wit(|te), grijs, grijze, rood, rode, oranje, geel, gele, groen(|e), blauw(|e), paars(|e), roze, bruin(|e), beige, turkoois, turquoise, zilver(|en), goud(|en), gouden, veelkleurig(|e), marineblauw, lichtblauw, donkerblauw, bordeaux`,
  pl: `czarn(${PL}|i), bial(${PL}|i), szar(${PL}), czerwon(${PL}|i), pomaranczow(${PL}), żółt(${PL}|i), zielon(${PL}|i), niebiesk(i|a|ie|iego|iej|im|ich), fioletow(${PL}), różow(${PL}), brazow(${PL}), beżow(${PL}), turkusow(${PL}), srebrn(${PL}), złot(${PL}), granatow(${PL}), kolorow(${PL}), wielokolorow(${PL}), błękitn(${PL}), bordow(${PL})`,
  pt: `pret(o|a|os|as), negr(o|a|os|as), branc(o|a|os|as), cinz(a|as|ento|enta), vermelh(o|a|os|as), laranja(|s), amarel(o|a|os|as), verde(|s), azul, azuis, rox(o|a|os|as), violeta(|s), rosa(|s), cor de rosa, castanh(o|a|os|as), marrom, bege(|s), turquesa, pratead(o|a|os|as), dourad(o|a|os|as), azul marinho`,
}

/** Shades of words that {@link SHADE_WORDS} has in other forms only. */
const MORE: Readonly<Record<string, Shade>> = {
  azuis: { base: 'blue', tone: undefined },
  marrom: { base: 'brown', tone: undefined },
  bege: { base: 'beige', tone: undefined },
  beges: { base: 'beige', tone: undefined },
}

/** Beginnings of words that make a colour darker or lighter: "dunkelblau", "jasnoniebieski". */
const TONE_BEGINNINGS = ['dunkel', 'hell', 'donker', 'licht', 'ciemno', 'jasno'] as const

const COLOURS: ReadonlyMap<string, ReadonlyMap<string, Shade>> = new Map(
  Object.entries(WORDS).map(([language, words]) => [
    language,
    new Map(
      listWords(words).flatMap((word) => {
        const shade = SHADE_WORDS.get(word) ?? MORE[word]
        return shade ? [[word, shade] as const] : []
      }),
    ),
  ]),
)

/** The shade that a folded word or phrase of a language means; undefined for one that is no colour. */
export function findForeignColour(language: string, phrase: string): Shade | undefined {
  const colours = COLOURS.get(language)
  const known = colours?.get(phrase)
  if (known || !colours) return known
  const beginning = TONE_BEGINNINGS.find((one) => phrase.startsWith(one))
  const shade = beginning && colours.get(phrase.slice(beginning.length))
  return shade && { base: shade.base, tone: TONE_WORDS.get(beginning) ?? shade.tone }
}

/** The first words of colours of several words, by language. */
const BEGINNINGS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Array.from(COLOURS, ([language, colours]) => [
    language,
    new Set(
      Array.from(colours.keys(), (phrase) => phrase.split(' ')).flatMap((words) =>
        words.length > 1 ? [words[0] as string] : [],
      ),
    ),
  ]),
)

/** Whether a colour of several words may begin with a word. */
export const beginsForeignColour = (language: string, word: string): boolean =>
  BEGINNINGS.get(language)?.has(word) ?? false

/** A shade in English. */
export const sayShade = ({ base, tone }: Shade): string => (tone === undefined ? base : `${tone} ${base}`)
