/**
 * Renders the guide of `src/guide` as pages in `dist/generated/guide/`, from where the executable embeds them:
 * `bun scripts/generate/guide.ts`.
 *
 * A link between the documents works in the repository (`access.md#api-keys`) and served
 * (`/docs/guide/access#api-keys`); one that leads nowhere ends the build.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml, page } from '../../src/http/page.ts'

const repository = resolve(import.meta.dir, '../..')

/** The documents in the order of the guide; `README.md` is its first page. */
const DOCUMENTS = [
  'README',
  'access',
  'operating',
  'reference',
  'contract',
  'maintaining',
  'changelog',
] as const

interface Heading {
  depth: number
  /** The anchor, the one that GitHub gives the same heading. */
  id: string
  /** HTML of the heading's text. */
  html: string
}

interface Document {
  name: string
  title: string
  tokens: Token[]
  /** Every heading but the title, by its token. */
  headings: Map<Token, Heading>
}

/** The address that a document is served at. */
const addressOf = (name: string): string => (name === 'README' ? '/docs/guide' : `/docs/guide/${name}`)

/** The file that a document becomes. */
const fileOf = (name: string): string => (name === 'README' ? 'index.html' : `${name}.html`)

/** Letters, digits, dashes and underscores of a heading, as GitHub joins them. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

/**
 * Reads one document. @throws Error without a title, and for two headings that would have one anchor.
 */
export function readDocument(name: string, text: string): Document {
  const marked = new Marked()
  const tokens = marked.lexer(text)
  const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'
  const [title, ...others] = tokens.filter(isHeading)
  if (title?.depth !== 1) throw new Error(`${name}.md must begin with its title`)
  const headings = new Map<Token, Heading>()
  for (const token of others) {
    const id = slugOf(plainText(token.tokens))
    if ([...headings.values()].some((heading) => heading.id === id)) {
      throw new Error(`${name}.md has two headings #${id}`)
    }
    headings.set(token, { depth: token.depth, id, html: marked.Parser.parseInline(token.tokens) })
  }
  return { name, title: plainText(title.tokens), tokens, headings }
}

const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : token.raw))
    .join('')
    .replaceAll('`', '')

/**
 * The page of one document.
 *
 * @param documents all of them, to check links against.
 * @throws Error for a link that leads nowhere, and for HTML in the text.
 */
export function renderDocument(document: Document, documents: readonly Document[]): string {
  const marked = new Marked({
    renderer: {
      heading(token) {
        const text = this.parser.parseInline(token.tokens)
        const heading = document.headings.get(token)
        if (!heading) return `<h1>${text}</h1>\n`
        const { depth, id } = heading
        const label = escapeHtml(`Link to “${plainText(token.tokens)}”`)
        return `<h${depth} id="${id}">${text} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(targetOf(href, document, documents))}">${this.parser.parseInline(tokens)}</a>`
      },
      // Marks for the scripts that write parts of a document.
      html({ text }) {
        if (!/^\s*<!--.*-->\s*$/.test(text)) throw new Error(`${document.name}.md holds HTML: ${text}`)
        return ''
      },
    },
  })
  const article = marked
    .parser(document.tokens)
    // Whatever may scroll sideways can be reached by the keyboard.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  return page(
    `${document.title} · Lookalike`,
    `<div class="guide">
    <nav class="documents" aria-label="Guide"><ul>${documents.map((other) => documentLink(other, document)).join('')}${OTHER_PAGES}</ul></nav>
    ${contents(document)}<article>
${article}</article>
    </div>`,
  )
}

/** The address of a link as it is served. */
function targetOf(href: string, document: Document, documents: readonly Document[]): string {
  if (/^https:\/\//.test(href)) return href
  const parts = /^(?:([\w-]+)\.md)?(?:#(.+))?$/.exec(href)
  const [, file, anchor] = parts ?? []
  const target = file === undefined ? document : documents.find(({ name }) => name === file)
  const anchors = [...(target?.headings.values() ?? [])].map(({ id }) => id)
  const isThere =
    parts !== null && target && href !== '' && (anchor === undefined || anchors.includes(anchor))
  if (!isThere) throw new Error(`${document.name}.md links to ${href}, which is not there`)
  return `${file === undefined ? '' : addressOf(target.name)}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The pages that stand beside the guide. */
const OTHER_PAGES = '<li><a href="/docs">API page</a></li><li><a href="/errors">Errors</a></li>'

const documentLink = ({ name, title }: Document, current: Document): string =>
  `<li><a href="${addressOf(name)}"${name === current.name ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`

/** The headings of the second and third level, nested; nothing for a short document. */
function contents({ headings }: Document): string {
  const listed = [...headings.values()].filter(({ depth }) => depth <= 3)
  if (listed.length < 3) return ''
  let list = ''
  for (const [n, { depth, id, html }] of listed.entries()) {
    const next = listed[n + 1]?.depth ?? 2
    list += `<li><a href="#${id}">${html}</a>${next > depth ? '<ul>' : '</li>'}`
    if (next < depth) list += '</ul></li>'
  }
  return `<nav class="contents" aria-labelledby="contents"><p id="contents">On this page</p><ul>${list}</ul></nav>
    `
}

/**
 * Writes every page of the guide.
 *
 * @param target emptied first.
 * @returns the names of the files.
 */
export async function generateGuide(target: string): Promise<string[]> {
  const documents = await Promise.all(
    DOCUMENTS.map(async (name) =>
      readDocument(name, await Bun.file(join(repository, 'src/guide', `${name}.md`)).text()),
    ),
  )
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  for (const document of documents) {
    await Bun.write(join(target, fileOf(document.name)), renderDocument(document, documents))
  }
  return documents.map(({ name }) => fileOf(name))
}

if (import.meta.main) {
  const names = await generateGuide(join(repository, 'dist/generated/guide'))
  console.log(`dist/generated/guide: ${names.join(', ')}`)
}
