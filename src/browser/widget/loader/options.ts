/** The `data-` attributes of the snippet. */
export interface Options {
  key: string
  mode: 'modal' | 'inline' | 'track'
  /** Selector of the element that gets the button; without it, the button stands where the tag stands. */
  target: string | undefined
  /** Selector of a search field that gets the camera. */
  attach: string | undefined
  /** Selector of the shop's search field, which is completed. */
  search: string | undefined
  /** Selector of the shop's own product pictures. */
  similar: string | undefined
  /** All attributes; the main file reads some of its own. */
  data: DOMStringMap
  /** A language tag for texts and prices. */
  lang: string
  theme: 'auto' | 'light' | 'dark'
  /** Whether anything may be stored before the page reports the shopper’s consent. */
  hasConsent: boolean
  /** Texts in place of ours, by name. */
  texts: Readonly<Record<string, string>>
}

/** A selector that the browser understands. */
function readSelector(data: DOMStringMap, name: string, warn: (message: string) => void): string | undefined {
  try {
    const selector = data[name]
    if (selector) document.head.matches(selector)
    return selector
  } catch {
    warn(`data-${name} is no selector and was ignored.`)
    return undefined
  }
}

const oneOf = <Value extends string>(
  value: string | undefined,
  allowed: readonly [Value, ...Value[]],
): Value => allowed.find((one) => one === value) ?? allowed[0]

/** Reads the options of a tag. Values that make no sense count as absent; `warn` receives a message. */
export function readOptions(data: DOMStringMap, warn: (message: string) => void): Options {
  const search = readSelector(data, 'search', warn)
  return {
    key: data['key'] ?? '',
    mode: oneOf(data['mode'], ['modal', 'inline', 'track']),
    target: readSelector(data, 'target', warn),
    search,
    attach: readSelector(data, 'attach', warn) ?? (data['target'] ? undefined : search),
    similar: readSelector(data, 'similar', warn),
    data,
    lang: findLanguage(data['lang'], document.documentElement.lang),
    theme: oneOf(data['theme'], ['auto', 'light', 'dark']),
    hasConsent: data['consent'] !== 'required',
    texts: readTexts(data['texts'], warn),
  }
}

/** Takes the first tag that is one, so that `Intl` never throws for it. */
function findLanguage(...tags: (string | undefined)[]): string {
  for (const tag of tags) {
    try {
      const [name] = Intl.getCanonicalLocales(tag || [])
      if (name) return name
    } catch {
      // Not a language tag: the next one counts.
    }
  }
  return 'en'
}

function readTexts(json: string | undefined, warn: (message: string) => void): Record<string, string> {
  if (!json) return {}
  try {
    const entries = Object.entries(JSON.parse(json) as object)
    return Object.fromEntries(entries.filter(([, text]) => typeof text === 'string'))
  } catch {
    warn('data-texts is no JSON object and was ignored.')
    return {}
  }
}
