/**
 * Bundles the portal to `dist/generated/portal/`, which the executable embeds: `bun scripts/generate/portal.ts`.
 *
 * Each page of the portal is a module that loads when somebody opens it, and so is each language of a page. Names hold a hash of
 * the content. Each file comes with gzip, so that the service compresses nothing; Brotli would save a tenth, which is less than a
 * second form of some 250 files adds to the executable. The build fails above the budgets.
 */
import { mkdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { MARK_ADDRESS } from '../../src/http/layout.ts'

const repository = resolve(import.meta.dir, '../..')
const browser = join(repository, 'src/browser')
const sources = join(browser, 'portal')

/** Bytes with gzip. */
export const BUDGETS = {
  /** The script that every page needs, with what it imports, and the style sheet. */
  shellBytesMax: 45 * 1024,
  /** What one page adds, in one language. */
  pageBytesMax: 25 * 1024,
} as const

/** Where the service answers the files. */
const ADDRESS = '/assets'

const hashOf = (text: string): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16)

const gzip = (text: string) => gzipSync(text, { level: 9 })

/** The colours and the type of all our pages: only the tokens of their frame, not its elements. */
function readTokens(frame: string): string {
  const tokens = frame.match(
    /^:root \{[^}]+\}|^@media \(prefers-color-scheme: dark\) \{\s+:root \{[^}]+\}\s+\}/gm,
  )
  if (tokens?.length !== 2) throw new Error('frame.css has no tokens of the two colour schemes')
  return tokens.join('\n')
}

/** Lets a page choose its colour scheme against that of the system, by `data-theme` of its root. */
const letChooseScheme = (styles: string): string =>
  styles.replace(
    /@media \(prefers-color-scheme: dark\) \{\s+:root (\{[^}]+\})\s+\}/g,
    (_, dark: string) =>
      `@media (prefers-color-scheme: dark) {\n:root:not([data-theme='light']) ${dark}\n}\n:root[data-theme='dark'] ${dark}`,
  )

/** Joins the tokens and every style sheet of the portal, in the order of their paths. */
async function buildStyles(): Promise<string> {
  const paths = [...new Bun.Glob('**/*.css').scanSync(sources)].sort()
  const texts = await Promise.all(paths.map((path) => Bun.file(join(sources, path)).text()))
  const tokens = readTokens(await Bun.file(join(browser, 'docs/frame.css')).text())
  return letChooseScheme([tokens, ...texts].join('\n'))
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
}

interface Script {
  name: string
  text: string
  /** Names of the files that load with it. */
  imports: string[]
  /** Names of the files that load when they are asked for. */
  loads: string[]
}

/** Bundles the scripts. @throws AggregateError for what cannot be bundled. */
async function buildScripts(): Promise<{ entry: string; scripts: Map<string, Script> }> {
  const built = await Bun.build({
    entrypoints: [join(sources, 'main.tsx')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  if (!built.success) throw new AggregateError(built.logs, 'The portal failed to bundle')
  const scripts = new Map<string, Script>()
  let entry = ''
  const outputs = new Map(
    Object.entries(built.metafile?.outputs ?? {}).map(([path, output]) => [basename(path), output]),
  )
  for (const output of built.outputs) {
    const name = basename(output.path)
    const links = outputs.get(name)?.imports ?? []
    const listKind = (isLazy: boolean) =>
      links.filter(({ kind }) => (kind === 'dynamic-import') === isLazy).map(({ path }) => basename(path))
    scripts.set(name, { name, text: await output.text(), imports: listKind(false), loads: listKind(true) })
    if (output.kind === 'entry-point') entry = name
  }
  return { entry, scripts }
}

/** Lists a script and all that loads with it. */
function listWith(
  scripts: ReadonlyMap<string, Script>,
  name: string,
  found = new Set<string>(),
): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const other of scripts.get(name)?.imports ?? []) listWith(scripts, other, found)
  return found
}

/** The bytes of the shell, and what each page adds to it in its longest language. */
export interface Sizes {
  shell: number
  pages: Record<string, number>
}

function measure(entry: string, scripts: ReadonlyMap<string, Script>, styles: string): Sizes {
  const sizeOf = (name: string) => gzip(scripts.get(name)?.text ?? '').length
  const sum = (names: Iterable<string>) => [...names].reduce((bytes, name) => bytes + sizeOf(name), 0)
  const loadsOf = (names: Iterable<string>) => [...names].flatMap((name) => scripts.get(name)?.loads ?? [])
  const longest = (names: readonly string[]) => Math.max(0, ...names.filter(isLanguage).map(sizeOf))
  const shell = listWith(scripts, entry)
  const pages = new Map<string, number>()
  const measurePages = (names: Iterable<string>) => {
    for (const page of loadsOf(names)) {
      if (isLanguage(page) || pages.has(page)) continue
      const own = [...listWith(scripts, page)].filter((name) => !shell.has(name))
      pages.set(page, sum(own) + longest(loadsOf(own)))
      // What a page loads later, such as its plots, has a budget of its own.
      measurePages(own)
    }
  }
  measurePages(shell)
  return {
    shell: sum(shell) + longest(loadsOf(shell)) + gzip(styles).length,
    pages: Object.fromEntries(pages),
  }
}

/** Texts of a page in one language stand in a file such as `de.ts`. */
const isLanguage = (name: string): boolean => /^[a-z]{2}-/.test(name)

/** @throws Error above a budget. */
export function checkBudgets({ shell, pages }: Sizes): void {
  const { shellBytesMax, pageBytesMax } = BUDGETS
  if (shell > shellBytesMax)
    throw new Error(
      `The shell of the portal has ${shell} bytes with gzip, and ${shellBytesMax} is the budget`,
    )
  for (const [page, bytes] of Object.entries(pages)) {
    if (bytes > pageBytesMax)
      throw new Error(`${page} has ${bytes} bytes with gzip, and ${pageBytesMax} is the budget`)
  }
}

/** The one document of the portal: all its addresses get it, and the script shows the page that the address names. */
const renderDocument = (script: string, style: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>Lookalike</title>
    <link rel="icon" href="${MARK_ADDRESS}" />
    <link rel="stylesheet" href="${ADDRESS}/${style}" />
    <script type="module" src="${ADDRESS}/${script}"></script>
  </head>
  <body>
    <div id="portal"></div>
    <noscript><main class="lone"><h1>These pages need JavaScript</h1><p>Switch it on in your browser, or use <a href="/docs">the API</a> and <a href="/docs/guide/reference">the command line</a>: they do everything that the pages do.</p></main></noscript>
  </body>
</html>
`

/** The module that embeds the files: the names of most of them change with their content. */
function renderEmbedding(names: readonly string[], hashes: ReadonlyMap<string, string>): string {
  const imports = names.map((name, n) => `import gzip${n} from './${name}.gz' with { type: 'file' }`)
  const rows = names.map(
    (name, n) => `  ${JSON.stringify(name)}: { gzip: gzip${n}, hash: ${JSON.stringify(hashes.get(name))} },`,
  )
  return `${imports.join('\n')}\n\nexport const files: Readonly<Record<string, { gzip: string; hash: string }>> = {\n${rows.join('\n')}\n}\n`
}

/**
 * Writes the files of the portal.
 *
 * @param target folder for the files; it is emptied first.
 * @returns bytes with gzip.
 * @throws Error above a budget.
 */
export async function generatePortal(target: string): Promise<Sizes> {
  const styles = await buildStyles()
  const { entry, scripts } = await buildScripts()
  const sizes = measure(entry, scripts, styles)
  checkBudgets(sizes)
  const styleName = `portal-${hashOf(styles)}.css`
  const texts = new Map([...scripts.values()].map(({ name, text }) => [name, text]))
  texts.set(styleName, styles)
  texts.set('portal.html', renderDocument(entry, styleName))
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  for (const [name, text] of texts) {
    await Bun.write(join(target, `${name}.gz`), gzip(text))
  }
  const hashes = new Map([...texts].map(([name, text]) => [name, hashOf(text)]))
  await Bun.write(join(target, 'files.ts'), renderEmbedding([...texts.keys()].sort(), hashes))
  return sizes
}

if (import.meta.main) {
  const { shell, pages } = await generatePortal(join(repository, 'dist/generated/portal'))
  const list = Object.entries(pages).map(([page, bytes]) => `${page} ${bytes}`)
  console.log(`dist/generated/portal: shell ${shell}, ${list.join(', ')} bytes with gzip`)
}
