import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml } from '../../src/http/page.ts'
import { nameThisMachine } from '../build/targets.ts'
import {
  type Document,
  GUIDE_FILES,
  nameFile,
  readGuide,
  readPlainText,
  renderDocument,
} from '../generate/guide.ts'
import { type Release, runTool } from './demands.ts'

/** Writes what people read without an install: changelog, licences, the document of the API, the guide and the files of the widget. */
export async function makeDocuments(release: Release): Promise<void> {
  const { root, folder, version, changes } = release
  const program = join(folder, `lookalike-${version}-${nameThisMachine()}`)
  writeFileSync(join(folder, 'CHANGELOG.md'), changes.all)
  writeFileSync(join(folder, 'openapi.json'), runTool([program, 'openapi']))
  writeFileSync(join(folder, 'LICENCES.txt'), runTool([program, 'licences']))
  copyWidget(root, folder)
  await writeGuide(release)
}

/** The two files that a shop's page loads, under the names that hold their hashes. */
function copyWidget(root: string, folder: string): void {
  const source = join(root, 'dist/generated/widget')
  const target = join(folder, 'widget')
  const manifest = JSON.parse(readFileSync(join(source, 'manifest.json'), 'utf8')) as {
    loader: string
    main: string
  }
  mkdirSync(target)
  cpSync(join(source, 'loader.js'), join(target, manifest.loader))
  cpSync(join(source, 'main.js'), join(target, manifest.main))
  cpSync(join(source, 'manifest.json'), join(target, 'manifest.json'))
}

/** A section of the guide, as the search looks through it. */
interface Section {
  page: string
  title: string
  text: string
  href: string
}

/** Writes the guide as a folder of pages that work from a disk, with their search. */
export async function writeGuide({
  root,
  folder,
  version,
}: Pick<Release, 'root' | 'folder' | 'version'>): Promise<void> {
  const target = join(folder, 'guide')
  const { documents, pictures } = await readGuide()
  mkdirSync(target)
  const places = {
    document: nameFile,
    file: (name: string) => name,
    frame: (title: string, body: string) => frame(title, body, version),
  }
  for (const document of documents) {
    writeFileSync(
      join(target, nameFile(document.name)),
      renderDocument(document, documents, pictures, places),
    )
  }
  for (const { file, bytes } of pictures.values()) writeFileSync(join(target, file), bytes)
  for (const name of GUIDE_FILES) cpSync(join(root, 'src/guide', name), join(target, name))
  for (const name of ['page.css', 'guide.js']) {
    const packed = readFileSync(join(root, 'dist/generated/docs', `${name}.gz`))
    writeFileSync(join(target, name), Bun.gunzipSync(packed))
  }
  const sections = documents.flatMap(listSections)
  writeFileSync(join(target, 'guide-sections.js'), `globalThis.guideSections = ${JSON.stringify(sections)}\n`)
  console.log(
    `guide/  ${documents.length} pages, ${sections.length} sections, ${readdirSync(target).length} files`,
  )
}

function listSections({ name, title, tokens, headings }: Document): Section[] {
  const sections: Section[] = [{ page: title, title, text: '', href: nameFile(name) }]
  for (const token of tokens) {
    const heading = headings.get(token)
    if (heading) {
      sections.push({
        page: title,
        title: readPlainText([token]),
        text: '',
        href: `${nameFile(name)}#${heading.id}`,
      })
    } else if (token.type !== 'heading') {
      const last = sections.at(-1)
      if (last) last.text += ` ${readText(token).replace(/\s+/g, ' ').trim()}`
    }
  }
  return sections
}

/** What a reader sees of a token; tables and lists keep their words in cells and items. */
function readText(token: { type: string; raw: string; tokens?: unknown; text?: unknown }): string {
  if (token.type === 'html') return ''
  if (token.type === 'code' && typeof token.text === 'string') return token.text
  return token.raw.replace(/\]\([^)]*\)/g, ']').replace(/[`*[\]|]|^#+ |^-+$|-{3,}/gm, ' ')
}

const frame = (title: string, body: string, version: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)}</title>
    <link rel="stylesheet" href="page.css" />
    <script src="guide-sections.js" defer></script>
    <script src="guide.js" defer></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header class="frame"><a class="brand" href="index.html">Lookalike ${escapeHtml(version)}</a></header>
    <main id="content">
    ${body}
    </main>
  </body>
</html>
`
