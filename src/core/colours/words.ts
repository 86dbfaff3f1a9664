import { fold } from '../text.ts'
import type { Shade, Tone } from './shades.ts'

/*
 * Colour words of English, German, French, Spanish, Italian, Dutch, Polish and Portuguese, and the common ones of
 * Swedish, Danish, Czech and Turkish. `ro(t|te)` stands for "rot" and "rote". Words that mean something else more often
 * than a colour are left out, such as the French "or".
 */

const DE = 'e|er|es|en|em'
const PL = 'y|a|e|ego|ej|ym|ych|ymi'

/** For each shade, as base and tone, its words. */
const WORDS: Readonly<Record<string, string>> = {
  black: `black(|s), jet, ebony, onyx, schwarz(|${DE}), noir(|e|s|es), negr(o|a|os|as), ner(o|a|i|e), zwart(|e), czarn(${PL}), pret(o|a|os|as), svart(|a), sort(e), sort, cern(y|a|e), siyah`,
  white: `white(|s), weiß(|${DE}), weiss(|${DE}), blanc(|he|s|hes), blanc(o|a|os|as), bianc(o|a|hi|he), wit(|te), bial(${PL}), branc(o|a|os|as), vit(|a|t), hvid(|e|t), bil(y|a|e), beyaz`,
  grey: `grey(|s), gray(|s), grau(|${DE}), gris(|e|es), grigi(o|a|e), grijs, grijze, szar(${PL}), popielat(${PL}), cinz(a|as|ento|enta), grå(|a|tt|t), sed(y|a|e), gri, heather grey, ash, slate, schiefer, stahlgrau`,
  'grey dark': `anthra(cite|zit|cit|ciet), antracit(e|a|o), antraciet, antracyt, antracytow(${PL}), antrasit, charcoal, graphite, graphit, grafit(|e|o), grafitow(${PL}), gunmetal, steel grey`,
  'grey light': `light heather, pearl grey, perlgrau`,
  silver: `silver(|s|y), silber(|n|ne|ner|nes|farben), argent(|e|es|o), argente(|e|s|es), platead(o|a|os|as), prata, pratead(o|a), plata, zilver(|en|kleurig), srebrn(${PL}), silverfargad, sølv, stribrn(y|a|e), gumus, chrome, chrom, platinum, platin`,
  cream: `cream, creme, crema, cremeweiß, ecru, ivory, elfenbein(|weiß|farben), ivoire, avorio, marfil, marfim, ivoor, kremow(${PL}), krem, off white, offwhite, off-white, wollweiß, naturweiß, blanc casse, blanco roto, bianco sporco, gebroken wit, zlamana biel, cru, eggshell, vanilla, vanille, champagne, champagner, benvit, creme weiss, krémov(y|a|e)`,
  beige: `beige(|r|s|n|farben), beis, bezow(${PL}), bege, bej, nude, sand(|farben), sable, sabbia, arena, areia, piaskow(${PL}), zand, oatmeal, hafer, ecru beige, natural, natur, naturel, naturale, crudo, bézov(y|a|e), stone, greige, linen, avoine`,
  tan: `tan, camel, kamel, cammello, camello, camelo, cognac, coñac, caramel, karamell, caramello, caramelo, karmelow(${PL}), fawn, light brown, hellbraun(|${DE}), brun clair, marron clair, marron claro, marrone chiaro, honey, hazelnut`,
  taupe: `taupe, tortora, mushroom, topo, slamm, schlamm`,
  brown: `brown(|s), braun(|${DE}), brun(|e|es|s|a|t), marron(|s|es), marrone, marroni, castan(o|a|os|as|ho|ha|hos|has), bruin(|e), brazow(${PL}), hned(y|a|e), kahverengi, kahve, nussbraun, nut, walnut, walnuss, tobacco, tabak, bronzebraun`,
  'brown dark': `chocolate, chocolat, schokolade(|nbraun), schoko, cioccolato, czekoladow(${PL}), coffee, kaffee, café, caffè, mocha, mokka, moka, espresso, ebano`,
  red: `red(|s), rot(|${DE}), rouge(|s), roj(o|a|os|as), ross(o|a|i|e), rood, rode, rooie, czerwon(${PL}), vermelh(o|a|os|as), encarnado, röd(|a|t), rød(|e|t), cerven(y|a|e), kirmizi, scarlet, crimson, ruby, rubin(|rot), cherry, cerise, kirschrot, carmine, karmin(|rot), vermilion, poppy, tomato`,
  'red dark': `burgundy, bordeaux(|rot), bordeau, bordo, bordow(${PL}), weinrot(|${DE}), wine, wine red, wijnrood, maroon, granat(e|a), grenat, borgogna, vinho, vino, oxblood, ochsenblut, marsala, merlot, garnet, brick, ziegelrot, brique, vinröd, vinrød, vinov(y|a|e), claret`,
  coral: `coral, koralle(|nrot|nfarben), corail, corallo, koraal, koralow(${PL}), salmon, lachs(|farben|rosa), saumon, salmón, salmone, zalm, lososiow(${PL}), peach, pfirsich(|farben), peche, pesca, melocoton, pêssego, perzik, brzoskwiniow(${PL}), apricot, aprikose, abricot, albicocca, albaricoque, koral`,
  orange: `orange(|s|r|n), orangefarben(|${DE}), naranja(|s), arancio, arancion(e|i), oranje, pomaranczow(${PL}), laranja(|s), oranzov(y|a|e), turuncu, carrot, tangerine, mandarine, pumpkin, kurbis, mango`,
  'orange dark': `rust, rusty, rost(|rot|braun|farben), rouille, ruggine, oxido, roest, rdzaw(${PL}), terracotta, terrakotta, terracota, terrakotow(${PL}), burnt orange, ziegel, teja, rostfargad`,
  yellow: `yellow(|s), gelb(|${DE}), jaune(|s), amarill(o|a|os|as), giall(o|a|i|e), ge(el|le), zolt(${PL}), amarel(o|a|os|as), gul(|a|t|e), zlut(y|a|e), sari, lemon, zitrone(|ngelb), citron, limone, limon, canary, canario, sunflower, sonnengelb, maize, mais`,
  'yellow dark': `mustard, senf(|gelb), moutarde, mostaza, senape, mostarda, mosterd, musztardow(${PL}), ochre, ocher, ocker, ocre, ocra, saffron, safran, zafferano, curry, senapsgul, hardal`,
  gold: `gold(|en), golden(|e|er|es), goldfarben, goldig, dore(|e|s|es), dorad(o|a|os|as), oro, dorat(o|a|i|e), goud(|en|kleurig), zlot(${PL}), dourad(o|a|os|as), ouro, guld(|fargad), zlat(y|a|e), altin, brass, messing, laiton`,
  copper: `copper, kupfer(|n|farben|ne), cuivre, cobre, rame, koper(|kleurig), miedzian(${PL}), bronze, bronce, bronzo, brons, rose gold, rosegold, roségold, rosé gold, or rose, oro rosa, rosa gold, rotgold, koppar`,
  green: `green(|s), grün(|${DE}), gruen(|e|er|es|en), vert(|e|s|es), verde(|s), verdi, gro(en|ene), zielon(${PL}), grön(|a|t), grøn(|ne|t), zelen(y|a|e), yesil, emerald, smaragd(|grün), emeraude, esmeralda, smeraldo, szmaragdow(${PL}), sage, salbei(|grün), salvia, sauge, jade, moss, moos(|grün), fern, grass, kiwi, pistachio, pistazie, pistache`,
  'green dark': `forest, forest green, bottle green, flaschengrün, tannengrün, vert sapin, vert bouteille, verde bottiglia, verde botella, butelkow(a|y|e) zielen, hunter, hunter green, racing green, waldgrün, mörkgrön`,
  'green light': `mint(|e|grün), minze, menthe, menta, mieta, mietow(${PL}), lime, limette, limonka, limonkow(${PL}), apple green, apfelgrün, pastellgrün, seafoam`,
  olive: `olive, oliv(|grün|farben|e), olivgrün(|${DE}), oliva, olijf, olijfgroen, oliwkow(${PL}), khaki, kaki, caqui, cachi, cáqui, army, army green, military, militar, militare, camo, camouflage, oliven, olivgron, haki, olivov(y|a|e), khakigrün`,
  turquoise: `turquoise(|s), türkis(|${DE}|farben|blau), tuerkis, turques(a|as), turchese, turkoois, turkus, turkusow(${PL}), turquesa, turkos, turkis, tyrkysov(y|a|e), turkuaz, aqua, aquamarin(|e), cyan, lagoon, lagune`,
  'turquoise dark': `teal, petrol(|blau|eum), petrole, petroleo, petrolio, canard, bleu canard, ottanio, morsk(i|a|ie), petroleum`,
  blue: `blue(|s), blau(|${DE}), bleu(|e|s|es), azul(|es), blu, blauw(|e), niebiesk(i|a|ie|iego|iej|im|ich), blå(|a|tt|t), modr(y|a|e), mavi, cobalt, kobalt(|blau), cobalto, royal, royal blue, royalblau, königsblau, bleu roi, denim, jeans, jeansblau, sapphire, saphir, chabrow(${PL}), cornflower, kornblume(|nblau), azure, azur`,
  'blue dark': `navy, navy blue, marine(|blau), marineblauw, bleu marine, marino, marinho, azul marino, azul marinho, blu navy, blu marino, blu scuro, granatow(${PL}), granat, nachtblau, midnight, midnight blue, mitternachtsblau, bleu nuit, azul noche, indigo, indygo, ink, tinte, lacivert, marinblå, marineblå, tmavomodr(y|a|e), oltremare`,
  'blue light': `sky, sky blue, himmelblau, bleu ciel, ciel, celeste(|s), azzurr(o|a|i|e), azul celeste, azul cielo, azul bebe, baby blue, babyblau, ice blue, eisblau, hemelsblauw, lichtblauw, blekitn(${PL}), błękit, himmelsblå, bleuet, powder blue, hellblau, svetlemodr(y|a|e), ljusblå, lyseblå`,
  purple: `purple(|s), violet(|s|te|tes|a), violett(|${DE}|a|o), viol(a|e), lila(|s|farben), mor, morad(o|a|os|as), pourpre, purpur(|n|rot), paars(|e), fioletow(${PL}), fiolet, roxo(|s), roxa(|s), violeta(|s), fialov(y|a|e), amethyst, grape, iris, porpora, purpura, lila`,
  'purple dark': `plum, pflaume, prune, prugna, ciruela, ameixa, pruim, sliwkow(${PL}), aubergine, eggplant, melanzana, berenjena, oberżyna, bakłażan, brombeer, blackberry, mulberry`,
  'purple light': `lilac, lavender, lavendel, lavande, lavanda, lawendow(${PL}), mauve, malva, flieder(|farben), liliow(${PL}), wisteria, glicine, lilás, periwinkle`,
  pink: `pink(|s|e|er|es|en|farben), rosa(|s|farben), rose, rosé, roses, rosad(o|a|os|as), roze, roos, rozow(${PL}), cor de rosa, rosa, lyserød, ruzov(y|a|e), pembe, fuchsia, fuxia, fucsia, fuksja, fuchsja, fuchsiow(${PL}), magenta, hot pink, blush, altrosa, vieux rose, puder(|rosa), pudrow(${PL}), dusty rose, flamingo, bubblegum`,
  'pink dark': `raspberry, himbeere, himbeer(|rot), framboise, frambuesa, lampone, malinow(${PL}), cranberry, berry, beere, cyclamen`,
  'pink light': `baby pink, babyrosa, powder pink, rose pale`,
  multicolour: `multi(|color|colour|colore|colored|coloured|kleur|coloris), multicolor(|e|es|ido|ida|ed), multicolour(|ed), multi colour, multi color, bunt(|${DE}), mehrfarbig(|${DE}), farbenfroh, veelkleurig, meerkleurig, gekleurd, wielokolorow(${PL}), wielobarwn(${PL}), kolorow(${PL}), flerfargad, flerfarvet, vicebarevn(y|a|e), cok renkli, rainbow, regenbogen(|farben), arc en ciel, arcobaleno, arcoiris, tecza, assorted, sortiert, surtido, colorido, colorful, colourful, variopinto`,
  transparent: `transparent(|e|es|er), transparente(|s), trasparente, clear, klar, durchsichtig(|${DE}), durchsichtig, doorzichtig, przezroczyst(${PL}), przezroczyst, translucent, seffaf, pruhledn(y|a|e), genomskinlig, klarglas`,
}

/** Words that make a colour darker or lighter; they stand before or behind it, or make one word with it. */
const TONES: Readonly<Record<Tone, string>> = {
  dark: `dark, deep, darker, dunkel, dunkl(es|er|e|en), tief, fonce(|e|s|es), oscur(o|a|os|as), scur(o|a|i|e), donker(|e), diep, ciemn(${PL}), ciemno, escur(o|a|os|as), mork(|a|t|e), tmav(y|a|e), tmave, koyu`,
  light: `light, lighter, pale, pastel, soft, hell(|${DE}), licht(|e), pastell, zart, blass, clair(|e|s|es), pale(|s), clar(o|a|os|as), chiar(o|a|i|e), palid(o|a), bleek, jasn(${PL}), jasno, ljus(|a|t), lys(|e|t), svetl(y|a|e), svetle, acik, baby`,
}

/** Those that stand behind the colour. */
const BEHIND =
  'fonce(|e|s|es), oscur(o|a|os|as), scur(o|a|i|e), escur(o|a|os|as), clair(|e|s|es), clar(o|a|os|as), chiar(o|a|i|e), palid(o|a)'

/** Words that say no more about a colour. */
const FILLERS =
  'colour, color, couleur, farbe, farben, colore, kleur, kolor, cor, bright, vivid, neon, matt, matte, mat, mate, opaco, ' +
  'matowy, glossy, shiny, glanzend, metallic, metallise, metalizado, metallico, leuchtend, knall, satin, warm, cool, ' +
  'classic, pure, true, melange, meliert, heather, chine, mottled, and, und, et, y, e, en, i, with, mit, avec, con, com, met, z, og, och, ve, a'

/** Letters that folding leaves, as people write them on a keyboard without them. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  æ: 'ae',
  ı: 'i',
  đ: 'd',
  œ: 'oe',
}

/** Folds a text as the service does, and the letters that are no accent as well: "żółty" becomes "zolty". */
export const foldColour = (text: string): string =>
  fold(text).replace(/[ßłøæıđœ]/g, (letter) => LETTERS[letter] as string)

/** Writes out a list of words. */
export function listWords(words: string): string[] {
  return words.split(/,\s*/).flatMap((word) => {
    const [, before = '', endings, after = ''] = /^([^(]*)(?:\(([^)]*)\))?(.*)$/.exec(word) ?? []
    if (endings === undefined) return [foldColour(word)]
    return endings.split('|').map((ending) => foldColour(before + ending + after))
  })
}

/** Each colour word or phrase, folded by {@link foldColour}, with its shade. */
export const SHADE_WORDS: ReadonlyMap<string, Shade> = new Map(
  Object.entries(WORDS).flatMap(([shade, words]) => {
    const [base, tone] = shade.split(' ') as [Shade['base'], Tone | undefined]
    return listWords(words).map((word) => [word, { base, tone }] as const)
  }),
)

export const TONE_WORDS: ReadonlyMap<string, Tone> = new Map(
  (['dark', 'light'] as const).flatMap((tone) => listWords(TONES[tone]).map((word) => [word, tone] as const)),
)

/** Words of tone that stand behind their colour; the others stand before it. */
export const TONES_BEHIND: ReadonlySet<string> = new Set(listWords(BEHIND))

export const FILLER_WORDS: ReadonlySet<string> = new Set(listWords(FILLERS))

/** Colours that German, Dutch and Scandinavian words end in, as in "himbeerrot", "kobaltblauw" and "flaskgrön". */
export const ENDINGS: readonly string[] = listWords(
  'schwarz, weiss, grau, rot, blau, grun, gelb, braun, rosa, beige, orange, lila, violett, turkis, silber, gold, ' +
    'zwart, grijs, rood, blauw, groen, geel, bruin, paars, roze, svart, hvid, brun, gron',
)
