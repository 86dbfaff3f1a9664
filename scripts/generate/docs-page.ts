/**
 * Collects the API page and the scripts of the small pages in `dist/generated/docs/`, which the executable embeds:
 * `bun scripts/generate/docs-page.ts`.
 *
 * Our files come from `src/browser/`, the others from the pinned `swagger-ui-dist`. Its licences are included
 * (`licences.txt`), because the Apache License 2.0 requires them in every copy.
 */
import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = resolve(import.meta.dir, '../..')
const ours = join(repository, 'src/browser')
const library = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

const OUR_FILES = [
  'docs/page.html',
  'docs/page.css',
  'docs/start.js',
  'docs/swagger-tuning.css',
  'accounts/mail-link.js',
  'billing/checkout.js',
]
const LIBRARY_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css']
const LICENCE_FILES = ['NOTICE', 'LICENSE', 'swagger-ui-bundle.js.LICENSE.txt']

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

/**
 * Writes every file of the API page.
 *
 * @param target folder for the files; it is emptied first.
 * @returns the names of the files, with their sizes in bytes.
 */
export const generateDocsPage = async (target: string): Promise<{ name: string; sizeBytes: number }[]> => {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const written: { name: string; sizeBytes: number }[] = []
  const write = async (name: string, text: string) => {
    written.push({ name, sizeBytes: await Bun.write(join(target, name), text) })
  }
  for (const path of OUR_FILES) await write(basename(path), await Bun.file(join(ours, path)).text())
  for (const name of LIBRARY_FILES) {
    await write(name, stripSourceMap(await Bun.file(join(library, name)).text()))
  }
  await write('licences.txt', await collectLicences())
  return written
}

if (import.meta.main) {
  const target = join(repository, 'dist/generated/docs')
  for (const { name, sizeBytes } of await generateDocsPage(target)) {
    console.log(`${String(sizeBytes).padStart(9)}  dist/generated/docs/${name}`)
  }
}
