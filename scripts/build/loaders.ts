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
 * the executable, and for two libraries that would bring a megabyte and more that the program never uses.
 *
 * @param passwords path of the packed list of common passwords.
 */
export function createLoaderSwaps(
  root: string,
  embedded: Embedded,
  paths: LoaderPaths,
  passwords: string,
): Swap[] {
  const native = join(root, 'src/platform/native')
  const parts = JSON.stringify(join(native, 'parts.ts'))
  const packed = JSON.stringify(join(native, 'packed.ts'))
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
      // The library's bundle holds some hundred kinds of models: three quarters of a megabyte, and four times that as bytecode.
      path: /node_modules\/@huggingface\/transformers\/dist\/transformers\.node\.mjs$/,
      rewrite: renderTransformers,
    },
    {
      // A bundler does not follow a require from createRequire, and the executable finds no package by name.
      path: /node_modules\/@huggingface\/transformers\/src\/backends\/onnx-node\.js$/,
      rewrite: (source) =>
        replaceOnce(source, /requireFromHere\('onnxruntime-node'\)/, "require('onnxruntime-node')"),
    },
    {
      // The library's own bundle for Node leaves the browser's runtime out in the same way.
      path: /node_modules\/@huggingface\/transformers\/src\/backends\/onnx\.js$/,
      rewrite: (source) =>
        replaceOnce(source, /import \* as ONNX_WEB from 'onnxruntime-web\/webgpu';/, 'const ONNX_WEB = {};'),
    },
    {
      // Only chats have templates.
      path: /node_modules\/@huggingface\/transformers\/src\/tokenization_utils\.js$/,
      rewrite: (source) =>
        replaceOnce(
          source,
          /import \{ Template \} from '@huggingface\/jinja';/,
          'const Template = undefined;',
        ),
    },
    {
      path: /node_modules\/@zxcvbn-ts\/language-common\/dist\/index\.mjs$/,
      rewrite: () => `import list from ${JSON.stringify(passwords)} with { type: 'file' }
import { readFileSync } from 'node:fs'
import { unpackBlocks } from ${packed}
const lines = Buffer.concat([...unpackBlocks(readFileSync(list))]).toString()
export const dictionary = { 'passwords-common': lines.split('\\n') }
`,
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

/** Renders the part of the library that `child/model.ts` imports, with the two models in the registry that knows all. */
function renderTransformers(source: string): string {
  const names = [
    'AutoTokenizer',
    'CLIPTextModelWithProjection',
    'CLIPVisionModelWithProjection',
    'env',
    'LogLevel',
    'Tensor',
  ]
  const missing = names.filter((name) => !new RegExp(`^  (?:\\w+ as )?${name},?$`, 'm').test(source))
  if (missing.length > 0)
    throw new Error(`transformers.js has changed: it does not export ${missing.join(', ')}`)
  return `import { CLIPTextModelWithProjection, CLIPVisionModelWithProjection } from '../src/models/clip/modeling_clip.js'
import { MODEL_CLASS_TO_NAME_MAPPING, MODEL_TYPE_MAPPING, MODEL_TYPES } from '../src/models/modeling_utils.js'
for (const [name, model] of Object.entries({ CLIPTextModelWithProjection, CLIPVisionModelWithProjection })) {
  MODEL_TYPE_MAPPING.set(name, MODEL_TYPES.EncoderOnly)
  MODEL_CLASS_TO_NAME_MAPPING.set(model, name)
}
export { CLIPTextModelWithProjection, CLIPVisionModelWithProjection }
export { AutoTokenizer } from '../src/models/auto/tokenization_auto.js'
export { env, LogLevel } from '../src/env.js'
export { Tensor } from '../src/utils/tensor.js'
`
}

function renderEmbedded(embedded: Embedded): string {
  const imports: string[] = []
  const parts = Object.entries(embedded.parts).map(([name, part]) => {
    const files = part.files.map((file) => {
      const variable = `file${imports.length}`
      imports.push(`import ${variable} from ${JSON.stringify(file.source)} with { type: 'file' }`)
      return `{ name: ${JSON.stringify(file.name)}, source: ${variable}, sourceHash: '${file.sourceHash}', sizeBytes: ${file.sizeBytes}, hash: '${file.hash}'${file.isProgram ? ', isProgram: true' : ''} }`
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
