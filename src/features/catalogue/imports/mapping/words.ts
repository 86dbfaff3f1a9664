import { headerKey } from './headers.ts'
import { readStock } from './values.ts'

/** Longer cells are no single word. */
const CHARS_MAX = 64

/** Yes and no in the languages of shops, as spreadsheets write them when they save a file again. */
const YES = listWords(
  'yes|y|true|1|on|active|enabled|ja|wahr|aktiv|oui|vrai|actif|activé|si|sí|verdadero|activo|vero|attivo|waar|actief|tak|prawda|aktywny|sim|verdadeiro|ativo|да|истина|включено|активен|så|sant|sand|kyllä|tosi|ano|pravda|áno|igen|igaz|da|adevărat|evet|doğru|так|істина|ναι|כן|نعم|はい|是|예',
)
const NO = listWords(
  'no|n|false|0|-1|off|inactive|disabled|nein|falsch|inaktiv|non|faux|inactif|désactivé|falso|inactivo|disattivato|nee|onwaar|inactief|nie|fałsz|nieaktywny|não|inativo|нет|ложь|отключено|неактивен|nej|nei|usann|falskt|falsk|ei|epätosi|ne|nepravda|nem|hamis|nu|fals|hayır|yanlış|ні|хибність|όχι|לא|لا|いいえ|否|아니요',
)

/** Words of shops for a product that can be bought, and for one that cannot. */
const IN_STOCK = listWords(
  'in stock|instock|available|auf lager|verfügbar|sofort verfügbar|sofort lieferbar|lieferbar|vorrätig|en stock|disponible|en existencias|hay existencias|disponibile|disponibile subito|in magazzino|op voorraad|beschikbaar|leverbaar|dostępny|dostępna|dostępne|w magazynie|na stanie|disponível|em estoque|em stock|в наличии|есть|есть в наличии|на складе|på lager|i lager|varastossa|saatavilla|skladem|na sklade|skladom|raktáron|în stoc|in stoc|stokta|var|в наявності|є в наявності|διαθέσιμο|σε απόθεμα|במלאי|متوفر|في المخزون|在庫あり|有货|有貨|재고 있음',
)
const SOLD_OUT = listWords(
  'out of stock|outofstock|sold out|unavailable|discontinued|backorder|on backorder|onbackorder|preorder|pre order|nicht auf lager|nicht verfügbar|nicht lieferbar|nicht vorrätig|ausverkauft|vergriffen|rupture de stock|en rupture de stock|en rupture|épuisé|indisponible|agotado|sin existencias|no disponible|esaurito|non disponibile|niet op voorraad|uitverkocht|niet leverbaar|niet beschikbaar|niedostępny|niedostępna|niedostępne|brak|brak w magazynie|wyprzedany|esgotado|fora de estoque|sem estoque|sem stock|indisponível|нет в наличии|отсутствует|распродано|ikke på lager|udsolgt|utsolgt|slut i lager|slut|slutsåld|loppu|loppunut|ei varastossa|vyprodáno|není skladem|vypredané|nie je na sklade|elfogyott|nincs raktáron|stoc epuizat|indisponibil|tükendi|stokta yok|yok|немає|немає в наявності|εξαντλημένο|אזל|אזל מהמלאי|غير متوفر|在庫なし|缺货|缺貨|품절',
)

function listWords(words: string): ReadonlySet<string> {
  return new Set(words.split('|').map(toWord))
}

/** Minus one is the word of drafts, so a sign counts. */
function toWord(text: string): string {
  const word = headerKey(text)
  return text.trim().startsWith('-') ? `-${word}` : word
}

/** Reads a yes or a no; undefined for anything else. */
export function readYesNo(cell: string): boolean | undefined {
  if (cell.length > CHARS_MAX) return undefined
  const word = toWord(cell)
  if (YES.has(word)) return true
  return NO.has(word) ? false : undefined
}

/** Reads whether a product can be bought at once: a word, or a number of pieces. */
export function readAvailability(cell: string): boolean | undefined {
  const known = readStock(cell)
  if (known !== undefined || cell.length > CHARS_MAX) return known
  const word = toWord(cell)
  if (IN_STOCK.has(word)) return true
  return SOLD_OUT.has(word) ? false : readYesNo(cell)
}

/** Whether a shop sells a product without a piece of it. Magento has 2 for "and tells the customer". */
export function readBackorders(cell: string): boolean {
  const word = toWord(cell.slice(0, CHARS_MAX))
  return word === 'continue' || word === 'notify' || word === '2' || readYesNo(cell) === true
}
