/**
 * Collects the API page and the scripts of the small pages in `dist/generated/docs/`, which the executable embeds:
 * `bun scripts/generate/docs-page.ts`.
 *
 * Our files come from `src/browser/`, the others from the pinned `swagger-ui-dist`. Its licences are included
 * (`licences.txt`), because the Apache License 2.0 requires them in every copy. Each file comes with gzip, so that
 * the service compresses nothing; the few clients that take none get it unpacked.
 */
import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { LAYOUT_FOOTER, layoutHeader } from '../../src/http/layout.ts'

const repository = resolve(import.meta.dir, '../..')
const ours = join(repository, 'src/browser')
const library = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

const PAGE = 'docs/page.html'
const SCRIPTS = ['docs/start.js', 'docs/guide.js', 'billing/checkout.js', 'preview/preview.js']
const STYLES = ['docs/page.css', 'docs/swagger-tuning.css', 'preview/preview.css']
/** Comes before the styles of each page. */
const FRAME = 'docs/frame.css'
const LIBRARY_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css']
const LICENCE_FILES = ['NOTICE', 'LICENSE', 'swagger-ui-bundle.js.LICENSE.txt']

/** What the service must know of the files: the hash of each one's content, by its name. */
export type DocsManifest = Readonly<Record<string, string>>

/** Removes the link to a source map, which we do not ship and browsers with open developer tools would request. */
const stripSourceMap = (text: string): string =>
  text.replace(/\n?(?:\/\/# sourceMappingURL=\S+|\/\*# sourceMappingURL=\S+ ?\*\/)\s*$/, '\n')

const collectLicences = async (): Promise<string> => {
  const texts = await Promise.all(
    LICENCE_FILES.map(
      async (name) => `--- swagger-ui-dist: ${name}\n\n${await Bun.file(join(library, name)).text()}`,
    ),
  )
  return texts.join('\n')
}

const hashOf = (text: string): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16)

/** Joins a script with what it imports. @throws AggregateError for one that cannot be bundled. */
async function bundle(path: string): Promise<string> {
  const built = await Bun.build({ entrypoints: [join(ours, path)], target: 'browser', format: 'iife' })
  const [output] = built.outputs
  if (!built.success || !output) throw new AggregateError(built.logs, `${path} failed to bundle`)
  return output.text()
}

/** Puts the hash of a file's content into its name: `start.js` becomes `start-0123456789abcdef.js`. */
const addHash = (name: string, hash: string): string => name.replace(/(?=\.\w+$)/, `-${hash}`)

/** Puts the links of all pages around the API page. @throws Error for a page without the places for them. */
function putIntoFrame(page: string): string {
  const [before, content, after, ...more] = page.split(/<!-- frame: (?:head|foot) -->/)
  if (before === undefined || content === undefined || after === undefined || more.length > 0)
    throw new Error('page.html has no place for its frame')
  return [before, layoutHeader('/docs'), content, LAYOUT_FOOTER, after].join('')
}

/** Lets the page name each file by its content. @throws Error for a file that the page does not name. */
function nameByContent(page: string, manifest: DocsManifest, names: readonly string[]): string {
  return names.reduce((text, name) => {
    const address = `/docs/${name}"`
    if (!text.includes(address)) throw new Error(`page.html does not name ${name}`)
    return text.replaceAll(address, `/docs/${addHash(name, manifest[name] ?? '')}"`)
  }, page)
}

/**
 * Writes every file of the API page.
 *
 * @param target folder for the files; it is emptied first.
 * @returns the names of the files, with their sizes in bytes: plain and with gzip.
 */
export const generateDocsPage = async (target: string): Promise<{ name: string; sizes: number[] }[]> => {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const written: { name: string; sizes: number[] }[] = []
  const manifest: Record<string, string> = {}
  const write = async (name: string, text: string) => {
    const gzip = gzipSync(text, { level: 9 })
    await Bun.write(join(target, `${name}.gz`), gzip)
    manifest[name] = hashOf(text)
    written.push({ name, sizes: [Buffer.byteLength(text), gzip.length] })
  }
  const read = (path: string) => Bun.file(join(ours, path)).text()
  const frame = await read(FRAME)
  for (const path of STYLES) await write(basename(path), `${frame}\n${await read(path)}`)
  for (const path of SCRIPTS) await write(basename(path), await bundle(path))
  for (const name of LIBRARY_FILES) {
    await write(name, stripSourceMap(await Bun.file(join(library, name)).text()))
  }
  await write('licences.txt', await collectLicences())
  const ofThePage = [...LIBRARY_FILES, 'start.js', 'swagger-tuning.css']
  await write('page.html', nameByContent(putIntoFrame(await read(PAGE)), manifest, ofThePage))
  await Bun.write(join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return written
}

if (import.meta.main) {
  const target = join(repository, 'dist/generated/docs')
  for (const { name, sizes } of await generateDocsPage(target)) {
    console.log(`${sizes.map((size) => String(size).padStart(9)).join('')}  dist/generated/docs/${name}`)
  }
}
