import { join } from 'node:path'
import type { Embedded } from '../../src/platform/native/embedded.ts'
import type { LoaderPaths } from './parts.ts'

/** Changes the text of one module while it is bundled. */
export interface Swap {
  /** Matches the module's path. */
  path: RegExp
  rewrite: (source: string) => string
}

/**
 * The modules that look for a native library in `node_modules`, each with a text that takes it from the executable.
 * Everything else of those packages is bundled as it is.
 */
export function loaderSwaps(root: string, embedded: Embedded, paths: LoaderPaths): Swap[] {
  const native = join(root, 'src/platform/native')
  const parts = JSON.stringify(join(native, 'parts.ts'))
  return [
    { path: /src\/platform\/native\/embedded\.ts$/, rewrite: () => embeddedModule(embedded) },
    {
      path: /node_modules\/better-sqlite3\/lib\/index\.js$/,
      rewrite: () => `'use strict'
const { loadAddon } = require(${parts})
let addon
module.exports = require('./database')(() => (addon ??= loadAddon('sqlite', 'database.node')), false)
module.exports.SqliteError = require('./sqlite-error')
`,
    },
    {
      path: /node_modules\/sqlite-vec\/index\.mjs$/,
      rewrite: () => `import { unpackedFile } from ${parts}
export const getLoadablePath = () => unpackedFile('sqlite', ${JSON.stringify(paths.vectorExtension)})
export const load = (db) => db.loadExtension(getLoadablePath())
`,
    },
    { path: /node_modules\/@node-rs\/argon2\/index\.js$/, rewrite: (source) => argon2Loader(source, parts) },
    {
      path: /node_modules\/sharp\/dist\/sharp\.mjs$/,
      rewrite: () => `import { loadAddon } from ${parts}
export default loadAddon('sharp', ${JSON.stringify(paths.sharp)})
`,
    },
    {
      // What sharp knows of its formats depends on the list of bundled codecs, which it reads from the package.
      path: /node_modules\/sharp\/dist\/utility\.mjs$/,
      rewrite: (source) =>
        replaceOnce(source, /require\(`@img\/sharp-\$\{runtimePlatform\}\/versions`\)/, paths.sharpVersions),
    },
    {
      path: /node_modules\/onnxruntime-node\/dist\/binding\.js$/,
      rewrite: (source) =>
        replaceOnce(
          source,
          /require\(`\.\.\/bin\/napi-v6\/[^`]*`\)/,
          `require(${parts}).loadAddon('onnxruntime', 'onnxruntime_binding.node')`,
        ),
    },
    {
      // A bundler does not follow a require made by createRequire, and the executable finds no package by name.
      path: /node_modules\/@huggingface\/transformers\/dist\/transformers\.node\.mjs$/,
      rewrite: (source) =>
        replaceOnce(source, /requireFromHere\("onnxruntime-node"\)/, 'require("onnxruntime-node")'),
    },
  ]
}

/** Loads the addon at the first call, so that commands that check no password need not unpack it. */
function argon2Loader(source: string, parts: string): string {
  const names = [...source.matchAll(/^module\.exports\.(\w+) = nativeBinding\./gm)].map((match) => match[1])
  if (!names.includes('hash')) throw new Error('@node-rs/argon2 has another shape than the build knows')
  return `'use strict'
const { loadAddon } = require(${parts})
let addon
const load = () => (addon ??= loadAddon('argon2', 'argon2.node'))
${names.map((name) => `Object.defineProperty(exports, '${name}', { enumerable: true, get: () => load().${name} })`).join('\n')}
`
}

function embeddedModule(embedded: Embedded): string {
  const imports: string[] = []
  const parts = Object.entries(embedded.parts).map(([name, part]) => {
    const files = part.files.map((file) => {
      const variable = `file${imports.length}`
      imports.push(`import ${variable} from ${JSON.stringify(file.source)} with { type: 'file' }`)
      return `{ name: ${JSON.stringify(file.name)}, source: ${variable}, sizeBytes: ${file.sizeBytes}, hash: '${file.hash}' }`
    })
    return `${name}: { hash: '${part.hash}', files: [${files.join(', ')}] }`
  })
  return `${imports.join('\n')}
export const embedded = { model: ${JSON.stringify(embedded.model)}, modelHash: '${embedded.modelHash}', parts: { ${parts.join(', ')} } }
`
}

/** A package that no longer has the line must stop the build, not make an executable that fails elsewhere. */
function replaceOnce(source: string, pattern: RegExp, replacement: string): string {
  if (source.match(new RegExp(pattern, 'g'))?.length !== 1)
    throw new Error(`The build finds no single ${pattern}`)
  return source.replace(pattern, () => replacement)
}
