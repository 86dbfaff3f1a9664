import { type HtmlTag, readTags } from '../../../core/html-tags.ts'
import { decodeEntities, IMPORT_ENTITIES } from '../../../core/html-text.ts'
import type { Turn } from '../../../core/turns.ts'

/** What the tags of a page say about the widget. */
export interface PageFacts {
  /** The tags of the widget's script. */
  snippets: Snippet[]
  /** The policies in `<meta>` elements. */
  policies: string[]
}

interface Snippet {
  src: URL
  key: string
  nonce: string | undefined
}

const NAMES = new Set(['script', 'meta'])

/** More of one kind are read over. */
const FOUND_MAX = 20

/** The rest of a longer value is not read: entities take a microsecond or two each. */
const VALUE_CHARS_MAX = 2_048
const POLICY_CHARS_MAX = 8_192

const WIDGET_PATH = /\/(widget|widget\/widget-[^/]*)\.js$/

/** Reads a page in small steps. @param url of the page, for addresses that are relative to it. */
export async function readPageFacts(html: string, url: URL, turn: Turn): Promise<PageFacts> {
  const facts: PageFacts = { snippets: [], policies: [] }
  for (const tag of readTags(html, NAMES)) {
    if (tag === undefined) await turn()
    else if (tag.name === 'meta') addPolicy(facts.policies, tag)
    else addSnippet(facts.snippets, tag, url)
  }
  return facts
}

const read = ({ attributes }: HtmlTag, name: string, charsMax = VALUE_CHARS_MAX): string =>
  decodeEntities((attributes.get(name) ?? '').slice(0, charsMax), IMPORT_ENTITIES).trim()

function addPolicy(policies: string[], tag: HtmlTag): void {
  if (policies.length >= FOUND_MAX) return
  if (read(tag, 'http-equiv').toLowerCase() === 'content-security-policy')
    policies.push(read(tag, 'content', POLICY_CHARS_MAX))
}

function addSnippet(snippets: Snippet[], tag: HtmlTag, page: URL): void {
  if (snippets.length >= FOUND_MAX) return
  const src = URL.parse(read(tag, 'src'), page.href)
  const key = read(tag, 'data-key')
  if (!src || !WIDGET_PATH.test(src.pathname)) return
  snippets.push({ src, key, nonce: read(tag, 'nonce') || undefined })
}
