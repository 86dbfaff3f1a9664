/**
 * Plain text of shops' HTML. The index and imports read it differently. The index takes words of anything, so it ignores case
 * and replaces numbers that name no character; imports keep the text that people will see, and leave unknown entities as written.
 */

/** How entities are decoded. */
interface EntityRules {
  names: ReadonlyMap<string, string>
  /** Whether the accent of any letter may be named: `&zacute;`. */
  composesAccents: boolean
  ignoresCase: boolean
  /** @returns undefined to leave the entity as it is written. */
  decodeNumber(code: number): string | undefined
}

const COMMON: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', ndash: '–', mdash: '—' },
  ...{ szlig: 'ß', hellip: '…', bull: '•', euro: '€', deg: '°', lsquo: '‘', rsquo: '’', ldquo: '“' },
  ...{ rdquo: '”', trade: '™', reg: '®', copy: '©', times: '×' },
}

/** How HTML names accents: `&eacute;` is an e with U+0301. */
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ...([
    ['acute', '\u0301'],
    ['grave', '\u0300'],
    ['circ', '\u0302'],
    ['uml', '\u0308'],
  ] as const),
  ...([
    ['tilde', '\u0303'],
    ['cedil', '\u0327'],
    ['ring', '\u030a'],
    ['caron', '\u030c'],
  ] as const),
])

const INDEX_ENTITIES: EntityRules = {
  names: new Map(
    Object.entries({
      ...COMMON,
      ...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', eacute: 'é' },
      ...{ egrave: 'è', agrave: 'à', ccedil: 'ç', ntilde: 'ñ' },
    }),
  ),
  composesAccents: false,
  ignoresCase: true,
  decodeNumber: (code) => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '),
}

export const IMPORT_ENTITIES: EntityRules = {
  names: new Map(
    Object.entries({
      ...COMMON,
      ...{ pound: '£', yen: '¥', middot: '·', sbquo: '‚', bdquo: '„', laquo: '«', raquo: '»' },
      ...{ frac12: '½', frac14: '¼', frac34: '¾', sup2: '²', sup3: '³', aelig: 'æ', AElig: 'Æ' },
      ...{ oslash: 'ø', Oslash: 'Ø', zwnj: '', plusmn: '±', ordm: 'º' },
    }),
  ),
  composesAccents: true,
  ignoresCase: false,
  decodeNumber(code) {
    const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : undefined
  },
}

/** Decodes `&amp;`, `&#39;`, `&#x27;` and their kind. */
export const decodeEntities = (text: string, rules: EntityRules): string =>
  text.includes('&')
    ? text.replace(
        /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}\d{0,2}));/gi,
        (whole, decimal, hex, name) => {
          if (name !== undefined) return decodeName(name, rules) ?? whole
          return (
            rules.decodeNumber(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)) ?? whole
          )
        },
      )
    : text

function decodeName(name: string, { names, composesAccents, ignoresCase }: EntityRules): string | undefined {
  const known = names.get(name) ?? (ignoresCase ? names.get(name.toLowerCase()) : undefined)
  if (known !== undefined || !composesAccents) return known
  const accent = ACCENTS.get(name.slice(1))
  return accent && `${name[0]}${accent}`.normalize('NFC')
}

const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Removes every `<…>`, also what is no tag, and collapses blanks. A `<` that is never closed stays. For names, not for showing. */
export const removeTags = (text: string): string => collapse(text.replace(/<[^<>]*>/g, ' '))

/** Removes an element with its content; one that never ends hides the rest. Its closing tag stays for {@link removeTags}. */
export function removeElement(html: string, element: string): string {
  const lower = html.toLowerCase()
  const kept: string[] = []
  let from = 0
  for (;;) {
    const start = lower.indexOf(`<${element}`, from)
    if (start < 0) return kept.length === 0 ? html : kept.join(' ') + html.slice(from)
    kept.push(html.slice(from, start))
    const end = lower.indexOf(`</${element}`, start)
    if (end < 0) return kept.join(' ')
    from = end
  }
}

/** Characters of HTML that the index reads of one text. */
const INDEXED_CHARS_MAX = 8_000

/** Elements whose content a page does not show. */
export const HIDDEN_ELEMENTS = ['script', 'style'] as const

/**
 * Reads the words of a text that may be HTML, for the index.
 *
 * @param max characters of the result.
 */
export function readIndexedText(html: string, max: number): string {
  const text = decodeEntities(removeMarkup(html.slice(0, INDEXED_CHARS_MAX)), INDEX_ENTITIES)
  return collapse(text).slice(0, max).toWellFormed()
}

/** Removes tags, comments and hidden elements; one that never ends hides the rest. Reads each character a bounded number of times. */
function removeMarkup(html: string): string {
  const lower = html.toLowerCase()
  let text = ''
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    if (open < 0) return text + html.slice(at)
    text += html.slice(at, open)
    // "5 < 6" is no tag.
    if (!/[a-z/!?]/.test(lower[open + 1] ?? '')) {
      text += '<'
      at = open + 1
      continue
    }
    const hidden = HIDDEN_ELEMENTS.find((name) => lower.startsWith(name, open + 1))
    const from = hidden === undefined ? open : lower.indexOf(`</${hidden}`, open)
    const close = from < 0 ? -1 : html.indexOf('>', from)
    if (close < 0) return text
    text += ' '
    at = close + 1
  }
  return text
}
