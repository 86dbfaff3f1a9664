import { join } from 'node:path'
import type { Embedded } from '../../src/platform/native/embedded.ts'
import type { LoaderPaths } from './parts.ts'

/** Changes the source of one module while it is bundled. */
export interface Swap {
  /** Matches the module's path. */
  path: RegExp
  rewrite: (source: string) => string
}

/**
 * Creates a swap for each module that looks for a native library in `node_modules`, so that it takes the library from
 * the executable. The rest of those packages is bundled unchanged.
 */
export function createLoaderSwaps(root: string, embedded: Embedded, paths: LoaderPaths): Swap[] {
  const native = join(root, 'src/platform/native')
  const parts = JSON.stringify(join(native, 'parts.ts'))
  return [
    { path: /src\/platform\/native\/embedded\.ts$/, rewrite: () => renderEmbedded(embedded) },
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
    {
      path: /node_modules\/@node-rs\/argon2\/index\.js$/,
      rewrite: (source) => renderArgon2Loader(source, parts),
    },
    {
      path: /node_modules\/sharp\/dist\/sharp\.mjs$/,
      rewrite: () => `import { loadAddon } from ${parts}
export default loadAddon('sharp', ${JSON.stringify(paths.sharp)})
`,
    },
    {
      // sharp derives its formats from the list of bundled codecs, which it reads from the package.
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
      // A bundler does not follow a require from createRequire, and the executable finds no package by name.
      path: /node_modules\/@huggingface\/transformers\/dist\/transformers\.node\.mjs$/,
      rewrite: (source) =>
        replaceOnce(source, /requireFromHere\("onnxruntime-node"\)/, 'require("onnxruntime-node")'),
    },
  ]
}

/** Renders a loader that loads the addon at the first call, so that commands without passwords need not unpack it. */
function renderArgon2Loader(source: string, parts: string): string {
  const names = [...source.matchAll(/^module\.exports\.(\w+) = nativeBinding\./gm)].map((match) => match[1])
  if (!names.includes('hash'))
    throw new Error('@node-rs/argon2 has changed: the build does not recognise its loader')
  return `'use strict'
const { loadAddon } = require(${parts})
let addon
const load = () => (addon ??= loadAddon('argon2', 'argon2.node'))
${names.map((name) => `Object.defineProperty(exports, '${name}', { enumerable: true, get: () => load().${name} })`).join('\n')}
`
}

function renderEmbedded(embedded: Embedded): string {
  const imports: string[] = []
  const parts = Object.entries(embedded.parts).map(([name, part]) => {
    const files = part.files.map((file) => {
      const variable = `file${imports.length}`
      imports.push(`import ${variable} from ${JSON.stringify(file.source)} with { type: 'file' }`)
      return `{ name: ${JSON.stringify(file.name)}, source: ${variable}, sourceHash: '${file.sourceHash}', sizeBytes: ${file.sizeBytes}, hash: '${file.hash}' }`
    })
    return `${name}: { hash: '${part.hash}', files: [${files.join(', ')}] }`
  })
  return `${imports.join('\n')}
export const embedded = { model: ${JSON.stringify(embedded.model)}, modelHash: '${embedded.modelHash}', parts: { ${parts.join(', ')} } }
`
}

/** Replaces the only match. @throws Error if the package has changed, because its executable would fail elsewhere. */
function replaceOnce(source: string, pattern: RegExp, replacement: string): string {
  if (source.match(new RegExp(pattern, 'g'))?.length !== 1)
    throw new Error(`The build needs exactly one match of ${pattern}`)
  return source.replace(pattern, () => replacement)
}
