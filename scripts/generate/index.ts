/** Creates the files of `dist/generated`: `bun scripts/generate/index.ts`. It skips files whose sources did not change. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '../..')
const outputDir = join(root, 'dist/generated')

/** One script that writes files to `dist/generated`. */
interface Generator {
  name: string
  /** Runs with `bun` in the root of the checkout. */
  script: string
  /** Globs of the files whose changes require a new run, besides the script itself. */
  inputs: readonly string[]
  /** A file in `dist/generated` that the script writes. If it is missing, the script runs in any case. */
  output: string
}

const generators: readonly Generator[] = [
  {
    name: 'kernel',
    script: 'scripts/generate/kernel.ts',
    inputs: [
      'src/platform/vectors/kernel/**/*',
      'src/platform/vectors/{scan-thread,workspace}.ts',
      'node_modules/assemblyscript/package.json',
    ],
    output: 'scan-thread.js',
  },
  {
    name: 'docs',
    script: 'scripts/generate/docs-page.ts',
    inputs: [
      'src/browser/docs/**/*',
      'src/browser/preview/**/*',
      'node_modules/swagger-ui-dist/package.json',
    ],
    output: 'docs/page.html',
  },
  {
    name: 'widget',
    script: 'scripts/generate/widget.ts',
    inputs: ['src/browser/widget/**/*', 'package.json'],
    output: 'widget/manifest.json',
  },
  {
    name: 'portal',
    script: 'scripts/generate/portal.ts',
    inputs: [
      'src/browser/portal/**/*',
      'src/browser/docs/frame.css',
      'src/http/layout.ts',
      'scripts/plugins/woocommerce-snippet.php',
      'scripts/plugins/woocommerce/includes/shop-pages.php',
      'node_modules/{preact,uplot}/package.json',
    ],
    output: 'portal/files.ts',
  },
  {
    name: 'guide',
    script: 'scripts/generate/guide.ts',
    inputs: [
      'src/guide/*.{md,yml,json}',
      'src/guide/pictures/*',
      'src/http/{frame,page}.ts',
      'node_modules/marked/package.json',
    ],
    output: 'guide/index.html',
  },
  {
    name: 'dictionary',
    script: 'scripts/generate/dictionary.ts',
    inputs: [
      'src/features/discovery/search/meaning/dictionary/*.tsv',
      'src/features/discovery/search/meaning/{dictionary,languages,table-file,word-table}.ts',
      'scripts/generate/dictionary/*.ts',
    ],
    output: 'dictionary.bin',
  },
  {
    name: 'notices',
    script: 'scripts/generate/notices.ts',
    inputs: [
      'bun.lock',
      'LICENSE',
      'package.json',
      'models/*/MODEL_CARD.md',
      'scripts/generate/notices/**/*',
      'scripts/build/{acme-client,unused}.ts',
      // What the program imports decides which packages it contains.
      'src/**/*.{ts,js}',
    ],
    output: 'notices.txt.gz',
  },
  {
    // Last, because it loads the program, which embeds what the others write.
    name: 'api-types',
    script: 'scripts/generate/api-types.ts',
    inputs: ['src/**/*.ts'],
    output: 'api.ts',
  },
]

/**
 * Runs each generator whose inputs changed since its last success.
 *
 * @throws Error if a generator fails; its output is on the terminal.
 */
export async function generateAll(): Promise<void> {
  for (const generator of generators) {
    const key = await hashInputs(generator)
    const stamp = join(outputDir, `.${generator.name}`)
    const exists = existsSync(stamp) && existsSync(join(outputDir, generator.output))
    if (exists && readFileSync(stamp, 'utf8') === key) continue
    // Without the stamp, the next run repeats a generator that failed half way.
    rmSync(stamp, { force: true })
    mkdirSync(outputDir, { recursive: true })
    console.log(`generating ${generator.name}`)
    const child = Bun.spawn([process.execPath, generator.script], {
      cwd: root,
      stdout: 'inherit',
      stderr: 'inherit',
    })
    if ((await child.exited) !== 0) throw new Error(`${generator.script} failed`)
    writeFileSync(stamp, key)
  }
}

/** Hashes the contents, not the times, because a fresh checkout gives every file a new time. */
async function hashInputs(generator: Generator): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const paths = new Set([generator.script])
  for (const input of generator.inputs) {
    for await (const path of new Glob(input).scan({ cwd: root, onlyFiles: true })) paths.add(path)
  }
  for (const path of [...paths].sort()) {
    const content = await Bun.file(join(root, path)).bytes()
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

if (import.meta.main) await generateAll()
