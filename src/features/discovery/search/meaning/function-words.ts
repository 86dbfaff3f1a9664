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

/** English words of grammar. */
export const ENGLISH_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  'for with and the of from this that my your her his to or without made set in on at by an it'.split(' '),
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

/** English words that the stem or the parts of a word of another language look like: "mat" and "mate", "hanger" and "hängend". */
export const ALSO_ENGLISH: ReadonlySet<string> = new Set(
  (
    'acacia aged alarm american angel angle app auto badminton baguette baller ballroom balm bandana banquet bar bare barrel base ' +
    'bass baton beam bell bend bet better bill bin bio bit blaze bodies bomber bone bonnet bootcamp bowler breed bride brioche bronze ' +
    'buggy bust cab cafe calico camouflage camp camper can capture caramel carbon carton cartridge casserole cassette cave cellular ' +
    'cement champ change chariot charm chat chesterfield chin chronograph classical clementine clip coal combo comfort complete ' +
    'condition connect console controller country court crack crayon cube curvy cyclist dam deck deco desert design desktop detergent ' +
    'diaries dino disc disco dive dose dozen dressing drip durable end ensemble enter epic espresso extension exterior external face ' +
    'fat fell feminine fest fidget fill film final fit flex fog fondue font foundation friend fries front full fun fund gain game ' +
    'gang garter gas gate gem gilet glacier gloss golfer gouache gourmet grab grain grand granola grave gravel graves greens grille ' +
    'gum hall halter hamster hang hanger has hay helicopter here hoe hog horn horseshoe hotdog hull individual informal infusion ' +
    'inline insert interior internal invitation jack jazz joy just juvenile karaoke kick kindergarten kiss kisses lake lane late ' +
    'latte law lens leopard level liberty lime line lino liqueur living locker lolly loop lower lunar lung macaroni mad made magnet ' +
    'make mall man mandarin mane manicure mark masculine mat mate material matt matter maxi media merino metallic micro mid min mine ' +
    'minimal mix mixer mobile module more motif motor move much mural music must nature nice nine noise not note novel now occasion ' +
    'organ organize our oxford oxfords pal palm pancake panel panini paprika park partition passport past paste pastel pat peeling ' +
    'peer peg pellet pepper pest petite piece pilot pin pink pipe pit plan plane plank plateau platform play player plot plug polar ' +
    'polka poll ponies pool pop poplar port portal postal potter protein puff put python queue racket radial ram ramen ranger rap ' +
    'raspberries rate ray recharge recycle recycling remedies resistant rim rise rocker rocks rod roll roller roulette route rower ' +
    'rule safer sage sand sax scale scholar scope scotch scratch sell semi serum shaker shooter shorter shuttle silicon sing sit site ' +
    'skate skin skipper slab sleeper sling slot smaller smoking sneak solid sorbet spell spot squeeze staff stall standard status ' +
    'steer step stereo stick strike string strip stuffed sum sup super supper supplement support surf suspension sweat tangerine tape ' +
    'teen telephone tell temper tennis tequila term tinker tip titan toe tone toolbox topper tortilla total tote tractor transporter trap ' +
    'trench trip trombone tropic tshirt turn valentine vanity velour verbal videogame vinaigrette vine viola violet voyage want ' +
    'warmer watering weekend west western whey win wit wolves worst wrap yellowstone zebra zone'
  ).split(' '),
)
