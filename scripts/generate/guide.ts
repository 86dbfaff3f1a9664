/**
 * Renders the guide of `src/guide` as pages in `dist/generated/guide/`, which the executable embeds:
 * `bun scripts/generate/guide.ts`.
 *
 * A link between documents works in the repository (`access.md#api-keys`) and on the server
 * (`/docs/guide/access#api-keys`). A broken link fails the build.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Marked, type Token, type Tokens } from 'marked'
import sharp from 'sharp'
import { escapeHtml, page } from '../../src/http/page.ts'

const repository = resolve(import.meta.dir, '../..')

/** The documents in the order of the guide; `README.md` is its first page. */
const DOCUMENTS = [
  'README',
  'installing',
  'access',
  'people',
  'indexing',
  'searching',
  'merchandising',
  'analytics',
  'webhooks',
  'widget',
  'portal',
  'billing',
  'clients',
  'service',
  'operating',
  'upgrading',
  'nodes',
  'standby',
  'larger',
  'models',
  'watching',
  'reference',
  'contract',
  'limits',
  'comparison',
  'maintaining',
  'changelog',
] as const

/** Files of the guide that are served as they are. */
export const GUIDE_FILES: readonly string[] = ['alerts.yml', 'dashboard.json']

/** A picture of the guide, by the name that documents use. */
export type Pictures = ReadonlyMap<string, Picture>

interface Picture {
  /** With a hash of the content, so that browsers keep it. */
  file: string
  width: number
  height: number
}

interface Heading {
  depth: number
  /** The anchor, equal to GitHub's for the same heading. */
  id: string
  /** HTML of the heading's text. */
  html: string
}

export interface Document {
  name: string
  title: string
  tokens: Token[]
  /** Every heading except the title, by its token. */
  headings: Map<Token, Heading>
}

/** Where pages and files lie, and what stands around an article. */
export interface GuidePlaces {
  document: (name: string) => string
  file: (name: string) => string
  frame: (title: string, body: string) => string
}

/** Builds the address that serves a document. */
const buildAddress = (name: string): string => (name === 'README' ? '/docs/guide' : `/docs/guide/${name}`)

/** The places on a running service. */
const SERVED: GuidePlaces = {
  document: buildAddress,
  file: (name) => `/docs/guide/${name}`,
  frame: (title, body) => page(title, body, '/docs/guide.js', '/docs/guide'),
}

/** Names the file of a document's page. */
export const nameFile = (name: string): string => (name === 'README' ? 'index.html' : `${name}.html`)

/** Builds the anchor of a heading as GitHub does, from its letters, digits, dashes and underscores. */
const buildAnchor = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

/**
 * Reads one document. @throws Error if it has no title, or two headings with the same anchor.
 */
export function readDocument(name: string, text: string): Document {
  const marked = new Marked()
  const tokens = marked.lexer(text)
  const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'
  const [title, ...others] = tokens.filter(isHeading)
  if (title?.depth !== 1) throw new Error(`${name}.md must begin with its title`)
  const headings = new Map<Token, Heading>()
  for (const token of others) {
    const id = buildAnchor(readPlainText(token.tokens))
    if ([...headings.values()].some((heading) => heading.id === id)) {
      throw new Error(`${name}.md has two headings #${id}`)
    }
    headings.set(token, { depth: token.depth, id, html: marked.Parser.parseInline(token.tokens) })
  }
  return { name, title: readPlainText(title.tokens), tokens, headings }
}

export const readPlainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => ('tokens' in token && token.tokens ? readPlainText(token.tokens) : token.raw))
    .join('')
    .replaceAll('`', '')

/**
 * Renders the page of one document.
 *
 * @param documents all documents, to check links against.
 * @throws Error for a broken link, and for HTML in the text.
 */
export function renderDocument(
  document: Document,
  documents: readonly Document[],
  pictures: Pictures = new Map(),
  places: GuidePlaces = SERVED,
): string {
  const marked = new Marked({
    renderer: {
      heading(token) {
        const text = this.parser.parseInline(token.tokens)
        const heading = document.headings.get(token)
        if (!heading) return `<h1>${text}</h1>\n`
        const { depth, id } = heading
        const label = escapeHtml(`Link to “${readPlainText(token.tokens)}”`)
        return `<h${depth} id="${id}">${text} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(resolveLink(href, document, documents, places))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }) {
        const picture = pictures.get(href)
        if (!picture || !text)
          throw new Error(`${document.name}.md shows ${href}, which does not exist or has no text`)
        const { file, width, height } = picture
        return `<img src="${places.file(file)}" alt="${escapeHtml(text)}" width="${width}" height="${height}" loading="lazy">`
      },
      // Marks for the scripts that write parts of a document are comments.
      html({ text }) {
        if (!/^\s*<!--.*-->\s*$/.test(text)) throw new Error(`${document.name}.md contains HTML: ${text}`)
        return ''
      },
    },
  })
  const article = marked
    .parser(document.tokens)
    // Elements that may scroll sideways can be focused with the keyboard.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  return places.frame(
    `${document.title} · Lookalike`,
    `<div class="guide">
    <nav class="documents" aria-label="Guide"><ul>${documents.map((other) => renderDocumentLink(other, document, places)).join('')}</ul></nav>
    ${renderContents(document)}<article>
${article}</article>
    </div>`,
  )
}

/** Resolves a link to the address on the server. @throws Error for a broken link. */
function resolveLink(
  href: string,
  document: Document,
  documents: readonly Document[],
  places: GuidePlaces,
): string {
  if (/^https:\/\//.test(href)) return href
  if (GUIDE_FILES.includes(href)) return places.file(href)
  const parts = /^(?:([\w-]+)\.md)?(?:#(.+))?$/.exec(href)
  const [, file, anchor] = parts ?? []
  const target = file === undefined ? document : documents.find(({ name }) => name === file)
  const anchors = [...(target?.headings.values() ?? [])].map(({ id }) => id)
  const isThere =
    parts !== null && target && href !== '' && (anchor === undefined || anchors.includes(anchor))
  if (!isThere) throw new Error(`${document.name}.md links to ${href}, which does not exist`)
  return `${file === undefined ? '' : places.document(target.name)}${anchor === undefined ? '' : `#${anchor}`}`
}

const renderDocumentLink = ({ name, title }: Document, current: Document, places: GuidePlaces): string =>
  `<li><a href="${places.document(name)}"${name === current.name ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`

/** Renders a nested list of the headings of levels 2 and 3; nothing for a short document. */
function renderContents({ headings }: Document): string {
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

/** Bytes of one picture, and of all: the executable carries them. */
const PICTURE_BYTES_MAX = 12 * 1024
const PICTURES_BYTES_MAX = 120 * 1024

/** Reads the pictures of a folder, by their path in documents. @throws Error above the budget. */
async function readPictures(folder: string): Promise<Map<string, Picture & { bytes: Uint8Array }>> {
  const names = [...new Bun.Glob('*.webp').scanSync(folder)].toSorted()
  const entries = await Promise.all(
    names.map(async (name) => {
      const bytes = await Bun.file(join(folder, name)).bytes()
      if (bytes.length > PICTURE_BYTES_MAX) throw new Error(`${name} has ${bytes.length} bytes`)
      const { width, height } = await sharp(bytes).metadata()
      const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16)
      return [
        `pictures/${name}`,
        { bytes, width, height, file: name.replace(/\.webp$/, `-${hash}.webp`) },
      ] as const
    }),
  )
  const all = entries.reduce((sum, [, { bytes }]) => sum + bytes.length, 0)
  if (all > PICTURES_BYTES_MAX) throw new Error(`The pictures of the guide have ${all} bytes`)
  return new Map(entries)
}

/** Writes a module that names the files of the pictures by their addresses. */
const writePictures = (files: readonly string[]): string =>
  [
    ...files.map((file, n) => `import picture${n} from './${file}' with { type: 'file' }`),
    'export const guidePictures: Readonly<Record<string, string>> = {',
    ...files.map((file, n) => `  '${file}': picture${n},`),
    '}\n',
  ].join('\n')

/** Reads every document, and the pictures. @throws Error for one that cannot be a page. */
export async function readGuide() {
  const documents = await Promise.all(
    DOCUMENTS.map(async (name) =>
      readDocument(name, await Bun.file(join(repository, 'src/guide', `${name}.md`)).text()),
    ),
  )
  return { documents, pictures: await readPictures(join(repository, 'src/guide/pictures')) }
}

/**
 * Writes every page and file of the guide, with gzip, and its pictures as they are.
 *
 * @param target folder for the pages; it is emptied first.
 * @returns the names of the files.
 */
export async function generateGuide(target: string): Promise<string[]> {
  const { documents, pictures } = await readGuide()
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  for (const document of documents) {
    const page = renderDocument(document, documents, pictures)
    await Bun.write(join(target, `${nameFile(document.name)}.gz`), gzipSync(page, { level: 9 }))
  }
  for (const { file, bytes } of pictures.values()) await Bun.write(join(target, file), bytes)
  await Bun.write(join(target, 'pictures.ts'), writePictures([...pictures.values()].map(({ file }) => file)))
  for (const file of GUIDE_FILES) {
    const text = await Bun.file(join(repository, 'src/guide', file)).bytes()
    await Bun.write(join(target, `${file}.gz`), gzipSync(text, { level: 9 }))
  }
  return [...documents.map(({ name }) => nameFile(name)), ...GUIDE_FILES]
}

if (import.meta.main) {
  const names = await generateGuide(join(repository, 'dist/generated/guide'))
  console.log(`dist/generated/guide: ${names.join(', ')}`)
}
