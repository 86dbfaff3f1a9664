import type { Language } from './languages.ts'

/** Words of grammar with what stands for them in English; an empty text for those that it leaves out. */
const WORDS: Readonly<Record<Language, string>> = {
  de: 'für:for fur:for mit:with und:and aus: von: der: die: das: den: dem: des: ein: eine: einen: einem: einer: zum:for zur:for im:in in:in am: oder:or auf:on',
  fr: 'pour:for avec:with et:and de: d: du: des: le: la: les: l: un: une: en: au: aux: a: dans:in ou:or sur:on',
  es: 'para:for con:with y:and de: del: el: la: los: las: un: una: en:in o:or al: por:for unos: unas:',
  it: 'per:for con:with e:and di: del: della: dello: dei: degli: delle: il: lo: la: i: gli: le: un: una: uno: da: in:in o:or d: dell: a: al: alla: nell: l:',
  nl: 'voor:for met:with en:and van: de: het: een: uit: in:in of:or op:on aan:',
  pl: 'dla:for z:with ze:with i:and na:for do:for w:in lub:or oraz:and',
  pt: 'para:for com:with e:and de: do: da: dos: das: o: a: os: as: um: uma: em:in ou:or no: na: por:for',
}

const KNOWN: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(WORDS).map(([language, words]) => [
    language,
    new Map(words.split(' ').map((pair) => pair.split(':') as [string, string])),
  ]),
)

/** The English of a word of grammar, which may be empty; undefined for another word. */
export const findFunctionWord = (language: Language, word: string): string | undefined =>
  KNOWN.get(language)?.get(word)

/** English words of grammar that no other of the languages has. */
export const ENGLISH_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  'for with and the of from this that my your to or without made set'.split(' '),
)

/** English words that also are words of the other languages, with another meaning. */
export const FALSE_FRIENDS: ReadonlySet<string> = new Set(
  // German
  (
    'rock gift handy hose hut boot mode stern wand herd brief mantel tube ring band rat kind art hell mist tier tan glut ' +
    'fast bald links wage see hose ball bank tag post pony pumps slip lack pad pass puzzle ' +
    // French
    'robe pain chair four main pull sale lit coin bras short habit rose pile plus prune raisin table bureau talon tank corps ' +
    'figure lame location store veste ' +
    // Spanish, Italian, Portuguese
    'pan red once saco cola pie mesa data pasta salsa camera cane fine mare male bolt casa cape copa capo vase sole pole mole ' +
    // Dutch and Polish
    'bad beer arm map room list but most pas stool rug jar boot pet bed pot bank kit lamp kart ramp drop pen rode'
  ).split(' '),
)
