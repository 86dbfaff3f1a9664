import { plainText } from './values.ts'

/** The longest description that is kept; a search needs its words, and a card one or two lines. */
const DESCRIPTION_CHARS_MAX = 500

/** The longest beginning of a description that is read: what stands before its words is layout. */
const READ_CHARS_MAX = 64 * 1024

/** Names of characters in HTML that shops write in texts, beside those that name letters with an accent. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', euro: '€', pound: '£', yen: '¥' },
  ...{ copy: '©', reg: '®', trade: '™', deg: '°', middot: '·', bull: '•', hellip: '…', ndash: '–' },
  ...{ mdash: '—', lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«' },
  ...{ raquo: '»', times: '×', frac12: '½', frac14: '¼', frac34: '¾', sup2: '²', sup3: '³', szlig: 'ß' },
  ...{ aelig: 'æ', AElig: 'Æ', oslash: 'ø', Oslash: 'Ø', shy: '', zwnj: '', plusmn: '±', ordm: 'º' },
}

/** How HTML names accents: `&eacute;` is an e with U+0301. */
const ACCENTS: Readonly<Record<string, string>> = {
  ...{ acute: '\u0301', grave: '\u0300', circ: '\u0302', uml: '\u0308', tilde: '\u0303' },
  ...{ cedil: '\u0327', ring: '\u030a', caron: '\u030c' },
}

/** Puts the characters in the place of `&amp;`, `&#39;` and their kind. */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}\d{0,2});/gi, (whole, name: string) => {
        if (name.startsWith('#')) return decodeNumber(name) ?? whole
        const known = NAMED[name]
        if (known !== undefined) return known
        const accent = ACCENTS[name.slice(1)]
        return accent === undefined ? whole : `${name[0]}${accent}`.normalize('NFC')
      })
    : text

function decodeNumber(name: string): string | undefined {
  const isHex = /^#x/i.test(name)
  const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)
  const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : undefined
}

/** Reads a name: without tags, with its characters as they are shown. */
export const readText = (cell: string): string => plainText(decodeEntities(plainText(cell)))

/**
 * Reads a description as plain text: without HTML, scripts and styles, without the short codes and the written-out line
 * ends of WooCommerce, at most 500 characters and cut behind a word.
 */
export function readDescription(cell: string): string | undefined {
  const shown = dropHidden(dropHidden(cell.slice(0, READ_CHARS_MAX), 'script'), 'style')
    .replace(/\\[nrt]/g, ' ')
    .replace(/\[\/?[a-z][a-z0-9_-]*(?:\s[^[\]]*)?\]/gi, ' ')
  const text = cutText(readText(shown), DESCRIPTION_CHARS_MAX)
  return text === '' ? undefined : text
}

/** Leaves an element out with all it holds; one that never ends hides the rest. */
function dropHidden(html: string, element: string): string {
  const small = html.toLowerCase()
  const kept: string[] = []
  let from = 0
  for (;;) {
    const start = small.indexOf(`<${element}`, from)
    if (start < 0) return kept.length === 0 ? html : kept.join(' ') + html.slice(from)
    kept.push(html.slice(from, start))
    const end = small.indexOf(`</${element}`, start)
    if (end < 0) return kept.join(' ')
    from = end
  }
}

/** Cuts a text to so many characters, behind a word if one ends near there. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const characters = Array.from(text.slice(0, 2 * max))
  if (characters.length <= max && text.length <= 2 * max) return text
  const cut = characters.slice(0, max - 1).join('')
  const blank = cut.lastIndexOf(' ')
  return `${(blank > (max * 3) / 4 ? cut.slice(0, blank) : cut).trimEnd()}…`
}
