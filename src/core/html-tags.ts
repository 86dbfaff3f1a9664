/** A start tag of an HTML text. */
export interface HtmlTag {
  /** In small letters. */
  name: string
  /** By name in small letters, as they are written: entities stay. Of two with one name the first counts. */
  attributes: ReadonlyMap<string, string>
}

/** Elements whose content holds no tags: the text up to their own end tag. */
const RAW: ReadonlySet<string> = new Set([
  ...['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'],
])

/** Characters after which {@link readTags} gives way: half a millisecond. */
const STEP = 32 * 1024

/** More attributes of a tag are read over, and more characters of a name. */
const ATTRIBUTES_MAX = 64
const NAME_CHARS_MAX = 64

/** What ends a raw element, by its name: without regard to case. */
const ENDS = new Map([...RAW].map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, 'gi')]))

/**
 * Reads the start tags of some elements as a browser with scripts finds them, without building the page: not those in
 * comments, scripts, styles and texts. It tolerates everything and looks at each character a bounded number of times.
 *
 * @param names in small letters.
 * @yields undefined now and then, so that the caller can take a turn.
 */
export function* readTags(html: string, names: ReadonlySet<string>): Generator<HtmlTag | undefined, void> {
  let at = 0
  let steppedAt = 0
  for (;;) {
    const open = html.indexOf('<', at)
    if (open < 0) return
    if (open - steppedAt > STEP) {
      steppedAt = open
      yield undefined
    }
    const letter = html.charCodeAt(open + 1) | 32
    if (letter < 97 || letter > 122) {
      at = skipMarkup(html, open)
      if (at < 0) return
      continue
    }
    at = findEnd(html, open + 1, true)
    const name = html.slice(open + 1, Math.min(at, open + 1 + NAME_CHARS_MAX)).toLowerCase()
    if (name === 'plaintext') return
    const attributes = new Map<string, string>()
    const isWanted = names.has(name)
    for (;;) {
      at = skipSpace(html, at, true)
      if (at >= html.length) return
      if (html.charCodeAt(at) === CLOSE) break
      at = readAttribute(html, at, isWanted ? attributes : undefined)
      if (at < 0) return
      if (at - steppedAt > STEP) {
        steppedAt = at
        yield undefined
      }
    }
    at += 1
    if (isWanted) yield { name, attributes }
    const end = ENDS.get(name)
    if (!end) continue
    end.lastIndex = at
    const found = end.exec(html)
    if (!found) return
    at = found.index
  }
}

/** @returns where the text goes on after a comment, an end tag or a `<` that is no tag; -1 for nowhere. */
function skipMarkup(html: string, open: number): number {
  if (html.startsWith('<!--', open)) {
    // Browsers end a comment at `<!-->`, too.
    const end = html.indexOf('-->', open + 2)
    return end < 0 ? -1 : end + 3
  }
  const next = html[open + 1]
  if (next !== '!' && next !== '?' && next !== '/') return open + 1
  const end = html.indexOf('>', open)
  return end < 0 ? -1 : end + 1
}

/** @returns where the tag goes on; -1 for a value that never ends. */
function readAttribute(html: string, at: number, attributes: Map<string, string> | undefined): number {
  // A tag may begin an attribute with `=`, which then belongs to the name.
  const nameEnd = findEnd(html, at + 1, true)
  const equals = skipSpace(html, nameEnd, false)
  let [from, to, next] = [nameEnd, nameEnd, nameEnd]
  if (html.charCodeAt(equals) === EQUALS) {
    from = skipSpace(html, equals + 1, false)
    const quote = html[from]
    if (quote === '"' || quote === "'") {
      from += 1
      to = html.indexOf(quote, from)
      if (to < 0) return -1
      next = to + 1
    } else {
      to = findEnd(html, from, false)
      next = to
    }
  }
  if (attributes && attributes.size < ATTRIBUTES_MAX) {
    const key = html.slice(at, Math.min(nameEnd, at + NAME_CHARS_MAX)).toLowerCase()
    if (!attributes.has(key)) attributes.set(key, html.slice(from, to))
  }
  return next
}

const [CLOSE, EQUALS, SLASH] = ['>', '=', '/'].map((sign) => sign.charCodeAt(0)) as [number, number, number]

const isSpace = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13)

function skipSpace(html: string, at: number, skipsSlashes: boolean): number {
  let next = at
  for (; next < html.length; next++) {
    const unit = html.charCodeAt(next)
    if (!isSpace(unit) && !(skipsSlashes && unit === SLASH)) break
  }
  return next
}

/** @returns where a name, or a value without quotes, ends. */
function findEnd(html: string, at: number, isName: boolean): number {
  let next = at
  for (; next < html.length; next++) {
    const unit = html.charCodeAt(next)
    if (unit === CLOSE || isSpace(unit)) break
    if (isName && (unit === SLASH || unit === EQUALS)) break
  }
  return next
}
