/** Characters of HTML that are looked at for one text. */
const HTML_CHARS_MAX = 8_000

const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', ndash: '–', mdash: '—' },
  ...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é' },
  ...{ egrave: 'è', agrave: 'à', ccedil: 'ç', ntilde: 'ñ', hellip: '…', bull: '•', euro: '€', deg: '°' },
  ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', trade: '™', reg: '®', copy: '©', times: '×' },
}

/** What a page shows nothing of. */
const HIDDEN = ['script', 'style']

/**
 * The words of a text that may be HTML: without tags, with its entities decoded, blanks collapsed.
 *
 * @param max characters of the result.
 */
export function toPlainText(html: string, max: number): string {
  const text = decode(stripTags(html.slice(0, HTML_CHARS_MAX)))
  return text.replace(/\s+/g, ' ').trim().slice(0, max).toWellFormed()
}

/** Looks at each character a bounded number of times. */
function stripTags(html: string): string {
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
    const hidden = HIDDEN.find((name) => lower.startsWith(name, open + 1))
    const from = hidden === undefined ? open : lower.indexOf(`</${hidden}`, open)
    const close = from < 0 ? -1 : html.indexOf('>', from)
    if (close < 0) return text
    text += ' '
    at = close + 1
  }
  return text
}

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? NAMED[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
  })
