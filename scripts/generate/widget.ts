/**
 * Bundles the shop widget to `dist/generated/widget/`, which the executable embeds: `bun scripts/generate/widget.ts`.
 *
 * Each file comes plain, with gzip and with Brotli, so that the service compresses nothing. The build fails above the
 * budgets, because a shopper pays them on every page.
 */
import { mkdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { BunPlugin } from 'bun'
import { version } from '../../package.json'
import { LANGUAGES } from '../../src/browser/widget/main/texts.ts'

const repository = resolve(import.meta.dir, '../..')
const sources = join(repository, 'src/browser/widget')

/** Bytes with `gzip -9`, which is how anybody would measure them. */
export const BUDGETS = {
  /** The file that every page of a shop loads. */
  loaderBytesMax: 8 * 1024,
  /** The loader and the main file together. */
  allBytesMax: 30 * 1024,
} as const

/** Facts of the files that the service needs. */
export interface WidgetManifest {
  /** Names in the address, each with a hash of the content. */
  loader: string
  main: string
  /** Subresource Integrity of the loader; the loader checks the main file by itself. */
  integrity: string
}

/** Takes the line ends out of style sheets, which the minifier leaves in texts. Each ends behind a rule or a declaration. */
const joinStyles: BunPlugin = {
  name: 'join-styles',
  setup(build) {
    build.onLoad({ filter: /\/styles\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      return { contents: text.replace(/`[^`]*`/g, (css) => css.replaceAll('\n', '')), loader: 'ts' }
    })
  },
}

const languages: [string, { [Name: string]: string }][] = Object.entries(LANGUAGES).map(([name, texts]) => [
  name,
  { ...texts },
])
const textNames = [...new Set(languages.flatMap(([, texts]) => Object.keys(texts)))]

/** Leaves the names of the texts out of each language. A text has no bar. */
const packTexts: BunPlugin = {
  name: 'pack-texts',
  setup(build) {
    build.onLoad({ filter: /\/texts\/[a-z]{2}\.ts$/ }, ({ path }) => {
      const name = basename(path, '.ts')
      const texts = Object.fromEntries(languages)[name] ?? {}
      const packed = JSON.stringify(textNames.map((one) => texts[one] ?? '').join('|'))
      return {
        contents: `import { unpack } from '../unpack.ts'\nexport const ${name} = unpack(${packed})`,
        loader: 'ts',
      }
    })
  },
}

async function bundle(
  entry: string,
  format: 'iife' | 'esm',
  define: Record<string, string>,
): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(sources, entry)],
    target: 'browser',
    format,
    minify: true,
    plugins: [joinStyles, packTexts],
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
  })
  const [output] = built.outputs
  if (!built.success || !output) throw new AggregateError(built.logs, `${entry} failed to bundle`)
  return output.text()
}

const digest = (algorithm: 'sha256' | 'sha384', text: string, encoding: 'hex' | 'base64') =>
  new Bun.CryptoHasher(algorithm).update(text).digest(encoding)

const nameByContent = (name: string, text: string) =>
  `${name}-${digest('sha256', text, 'hex').slice(0, 16)}.js`
const buildIntegrity = (text: string) => `sha384-${digest('sha384', text, 'base64')}`
const compress = (text: string) => ({
  // It tries harder than zlib does at its best, and any browser reads it.
  gz: Bun.gzipSync(text, { level: 12, library: 'libdeflate' }),
  br: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }),
})

/** The bytes of a text with zlib at its best, or as they are sent if that is more. */
export const measure = (text: string, sent: Uint8Array): number =>
  Math.max(gzipSync(text, { level: 9 }).length, sent.length)

/** @throws Error above a budget. */
export function checkBudgets(loaderBytes: number, mainBytes: number): void {
  const { loaderBytesMax, allBytesMax } = BUDGETS
  if (loaderBytes > loaderBytesMax) {
    throw new Error(`widget.js has ${loaderBytes} bytes with gzip, and ${loaderBytesMax} is the budget`)
  }
  if (loaderBytes + mainBytes > allBytesMax) {
    throw new Error(
      `The widget has ${loaderBytes + mainBytes} bytes with gzip, and ${allBytesMax} is the budget`,
    )
  }
}

/**
 * Writes the files of the widget.
 *
 * @param target folder for the files; it is emptied first.
 * @returns the bytes of both files with gzip.
 * @throws Error above a budget.
 */
export async function generateWidget(target: string): Promise<{ loaderBytes: number; mainBytes: number }> {
  const main = await bundle('main/main.ts', 'esm', { TEXT_NAMES: textNames.join('|') })
  const mainName = nameByContent('main', main)
  const loader = await bundle('loader/loader.ts', 'iife', {
    MAIN_FILE: mainName,
    MAIN_INTEGRITY: buildIntegrity(main),
    VERSION: version,
  })
  const files = { loader: compress(loader), main: compress(main) }
  const sizes = { loaderBytes: measure(loader, files.loader.gz), mainBytes: measure(main, files.main.gz) }
  checkBudgets(sizes.loaderBytes, sizes.mainBytes)

  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  for (const [name, text] of Object.entries({ loader, main })) {
    const { gz, br } = files[name as 'loader' | 'main']
    await Bun.write(join(target, `${name}.js`), text)
    await Bun.write(join(target, `${name}.js.gz`), gz)
    await Bun.write(join(target, `${name}.js.br`), br)
  }
  const manifest: WidgetManifest = {
    loader: nameByContent('widget', loader),
    main: mainName,
    integrity: buildIntegrity(loader),
  }
  await Bun.write(join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return sizes
}

if (import.meta.main) {
  const { loaderBytes, mainBytes } = await generateWidget(join(repository, 'dist/generated/widget'))
  console.log(
    `dist/generated/widget: ${loaderBytes} bytes until the first click, ${mainBytes} after it, with gzip`,
  )
}
