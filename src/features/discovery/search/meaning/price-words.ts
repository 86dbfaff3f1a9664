import { makePhrases, type Phrases } from './tokens.ts'

/*
 * The words around prices in English, German, French, Spanish, Italian, Dutch, Polish and Portuguese, folded: small letters
 * without accents.
 */

/** How surely a word speaks of a price when no currency stands beside the number. */
type Strength =
  | 'plain'
  /** It also begins an age or a year: "Lego ab 6", "ab 2020". */
  | 'age'
  /** It says nothing without a currency: "Air Max 90", "pneumatici da 15". */
  | 'none'

export interface Comparison {
  bound: 'max' | 'min' | 'range'
  strength: Strength
}

const compare = (bound: Comparison['bound'], strength: Strength, words: string) =>
  [{ bound, strength }, words] as const

/** Words before an amount. */
export const COMPARISONS: Phrases<Comparison> = makePhrases([
  compare(
    'max',
    'plain',
    'under, below, less than, cheaper than, up to, at most, no more than, not more than, not over, ' +
      'unter, bis, bis zu, bis max, hochstens, maximal, weniger als, billiger als, gunstiger als, nicht mehr als, unterhalb von, ' +
      'moins de, moins que, jusqu a, jusque, sous, au plus, en dessous de, au dessous de, pas plus de, moins cher que, inferieur a, ' +
      'menos de, menos que, hasta, por debajo de, debajo de, bajo, no mas de, como maximo, inferior a, mas barato que, ' +
      'meno di, meno che, fino a, sotto, al di sotto di, al massimo, non piu di, inferiore a, ' +
      'onder, tot, tot en met, minder dan, maximaal, hoogstens, niet meer dan, goedkoper dan, ' +
      'ponizej, do, mniej niz, maksymalnie, najwyzej, nie wiecej niz, tansze niz, taniej niz, ' +
      'ate, abaixo de, no maximo, nao mais de, nao mais que, mais barato que',
  ),
  compare('max', 'none', 'max, maximum, maximo, massimo, maks, maxi, entro'),
  compare(
    'min',
    'plain',
    'over, above, more than, at least, no less than, not less than, not under, ' +
      'uber, mehr als, mindestens, wenigstens, nicht weniger als, nicht unter, oberhalb von, ' +
      'plus de, au moins, au dessus de, pas moins de, superieur a, ' +
      'mas de, al menos, por lo menos, por encima de, encima de, como minimo, no menos de, superior a, ' +
      'piu di, oltre, almeno, sopra, al di sopra di, non meno di, superiore a, ' +
      'boven, meer dan, minstens, minimaal, ten minste, niet minder dan, ' +
      'powyzej, ponad, wiecej niz, co najmniej, przynajmniej, nie mniej niz, ' +
      'mais de, mais que, acima de, pelo menos, no minimo',
  ),
  compare(
    'min',
    'age',
    'from, starting at, starting from, ab, a partir de, a partir du, des, desde, a partire da, vanaf, od, poczawszy od',
  ),
  compare('min', 'none', 'min, minimum, minimo, da, de, von, van, du'),
  compare(
    'range',
    'plain',
    'between, zwischen, entre, tra, fra, compreso tra, tussen, miedzy, pomiedzy, in between',
  ),
])

/** "from 10 to 20": the first word of a range whose bounds another word joins. */
export const RANGE_BEGINNINGS: ReadonlySet<string> = new Set(
  'from von de du da dai dal van vanaf od desde des ab'.split(' '),
)

/** Words between the two amounts of a range. */
export const RANGE_JOINTS: ReadonlySet<string> = new Set(
  '- – — to and und bis et a y e hasta fino en tot i do ate u'.split(' '),
)

/** Words behind an amount with a currency. */
export const COMPARISONS_BEHIND: Phrases<'max' | 'min'> = makePhrases([
  [
    'max',
    'max, maximum, or less, or under, or below, and less, and under, and below, oder weniger, oder gunstiger, oder billiger, und weniger, maximal, ' +
      'hochstens, ou moins, et moins, au plus, o menos, y menos, como maximo, maximo, o meno, e meno, al massimo, massimo, of minder, ' +
      'of goedkoper, en minder, maximaal, lub mniej, i mniej, albo mniej, maksymalnie, maks, ou menos, e menos, no maximo',
  ],
  [
    'min',
    'or more, and more, and up, and over, and above, or over, upwards, oder mehr, und mehr, aufwarts, mindestens, ou plus, et plus, minimum, o mas, y mas, ' +
      'como minimo, minimo, o piu, e oltre, in su, of meer, en meer, minimaal, lub wiecej, i wiecej, w gore, ou mais, e mais, no minimo, +',
  ],
])

/** Words that may stand between a comparison and its amount: "sotto i 20 euro", "unter ca. 20 €". */
export const FILLERS: ReadonlySet<string> = new Set(
  'the der den dem die de du les los las el i gli il os as o a zu ca circa about around etwa . :'.split(' '),
)

/** Words that lead to a price and go with it: "for under 20", "Preis bis 15". */
export const LEADS: ReadonlySet<string> = new Set(
  (
    'for at fur zu zum pour por per voor za w price priced prices preis preise prix precio precios prezzo prijs cena cenie ceny preco ' +
    'precos costing costs kosten kostet and und et y en but aber mais pero ma maar ale mas budget im um a e i un'
  ).split(' '),
)

/** What stands behind a number that counts or measures something else than money. */
export const UNITS: ReadonlySet<string> = new Set(
  (
    'cm mm m dm km kg g gr mg oz lb lbs l ml cl dl ltr zoll inch inches in feet foot ft yard yards yd w kw watt watts v volt volts ' +
    'mah ah wh gb tb mb mhz ghz hz khz p px dpi mp k x xl xs db lm lumen kelvin bar psi ps hp kcal grad degrees degres grados gradi graden stopni graus c f ' +
    'meter metre metres meters metros metri metrow metry liter litre litres liters litros litri litra litrow ' +
    'gramm gram grams grammes gramos grammi gramow gramas kilo kilos kilogramm centimeter centimetres centimetros centimetri ' +
    'pouces pulgadas pollici duim cali cale polegadas pieds pies piedi voet stop ' +
    'person persons people pers personen personne personnes persona personas persone osoby osob pessoa pessoas guests players spieler ' +
    'year years yr yrs y jahr jahre jahren an ans annee annees ano anos anni anno jaar jaren lat rok lata ' +
    'month months monat monate monaten mois mes meses mese mesi maand maanden miesiac miesiace miesiecy ' +
    'week weeks wochen day days tage jours dias giorni dagen dni hour hours h stunden heures horas ore uur godzin min minutes minuten ' +
    'piece pieces pcs pc stuck stk teile teilig piezas pieces pezzi stuks sztuk szt pecas pack packs ct set sets er paar pairs ' +
    'star stars sterne etoiles estrellas stelle sterren points punkte seats sitzer places plazas posti cent cents ' +
    '% ° " ″ ” × * / ² ³'
  ).split(' '),
)

/** Words before a number that say it is a size or a number of something. */
export const SIZES: ReadonlySet<string> = new Set(
  (
    'size sizes grosse gr groesse taille tailles pointure talla tallas numero taglia taglie maat maten rozmiar rozmiary tamanho ' +
    'tamanhos nr no number nummer age aged alter edad eta wiek idade art model modell'
  ).split(' '),
)

/** Words behind a price without a currency, with which the text goes on. */
export const FOLLOWERS: ReadonlySet<string> = new Set(
  (
    'for with without in of made from fur mit ohne aus von pour avec sans en para con sin de per senza voor met zonder dla z bez ' +
    'com sem and und et y e i or oder ou o lub but aber'
  ).split(' '),
)

const DOLLARS = 'USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP'
const CROWNS = 'SEK NOK DKK ISK CZK'

/** Signs and words of currencies, with the codes that they may mean. */
export const CURRENCIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    EUR: '€ eur euro euros eu euron',
    [DOLLARS]: '$ dollar dollars dolar dolares dollari dolarow dolary dollaro',
    USD: 'usd us$ bucks',
    'GBP EGP': '£ pound pounds pfund livres libras sterline pond funtow funty',
    GBP: 'gbp quid',
    PLN: 'pln zl zloty zlote zlotych zlotowek',
    'CHF XAF XOF': 'franken francs franchi frank frankow francos sfr fr',
    CHF: 'chf',
    [CROWNS]: 'kr kronor kronen kroner couronnes coronas corone korun koron coroas',
    SEK: 'sek',
    NOK: 'nok',
    DKK: 'dkk',
    CZK: 'czk kc',
    HUF: 'huf ft forint',
    RON: 'ron lei',
    BRL: 'brl reais real r$',
    CAD: 'cad ca$ c$',
    AUD: 'aud a$ au$',
    NZD: 'nzd nz$',
    MXN: 'mxn mx$',
    'JPY CNY': '¥',
    JPY: 'jpy yen',
    CNY: 'cny rmb yuan',
    TRY: '₺ tl lira',
    INR: '₹ inr rupees',
    UAH: '₴ uah',
    RUB: '₽ rub rubel',
    ILS: '₪ ils',
    KRW: '₩ krw',
  }).flatMap(([codes, words]) => words.split(' ').map((word) => [word, codes.split(' ')] as const)),
)
