import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import type { Embedded, EmbeddedFile, EmbeddedPart, PartName } from '../../src/platform/native/embedded.ts'
import { hashFile } from '../../src/platform/native/file-hash.ts'
import type { Target } from './targets.ts'

/** The facts about a target's packages that the swapped loaders need. */
export interface LoaderPaths {
  /** Path of sharp's addon in the folder of its part. */
  sharp: string
  /** The versions of libvips and its codecs, as a JSON object. */
  sharpVersions: string
  /** The vector extension's file name. */
  vectorExtension: string
}

const modelFiles = {
  needed: [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'preprocessor_config.json',
    'onnx/text_model_quantized.onnx',
    'onnx/vision_model_quantized.onnx',
  ],
  optional: ['special_tokens_map.json', 'calibration.json', 'golden.json', 'MODEL_CARD.md'],
}

/** Lists the files that an executable for `target` contains besides its own code. */
export function listEmbedded(target: Target, nodeModules: string, modelDir: string): Embedded {
  const runtime = join(nodeModules, 'onnxruntime-node/bin/napi-v6', target.os, target.cpu)
  const prebuilt = `${target.os}-${target.cpu}.node`
  const vectorPackage = join(nodeModules, `sqlite-vec-${target.os}-${target.cpu}`)
  const model = basename(modelDir)
  const parts: Record<PartName, EmbeddedPart> = {
    sqlite: hashPart([
      // Bun refuses to load a file named better_sqlite3.node because of older versions of the package.
      describeFile('database.node', join(nodeModules, 'better-sqlite3/prebuilds', prebuilt)),
      // SQLite derives the name of the entry function from this file name.
      describeFile(target.vectorExtension, join(vectorPackage, target.vectorExtension)),
    ]),
    argon2: hashPart([
      describeFile(
        'argon2.node',
        join(nodeModules, `@node-rs/argon2-${target.argon2}`, `argon2.${target.argon2}.node`),
      ),
    ]),
    sharp: hashPart(listSharpFiles(target, nodeModules)),
    // The binding looks for the library beside itself.
    onnxruntime: hashPart(
      readdirSync(runtime)
        .filter((name) => name === 'onnxruntime_binding.node' || /\.so\.1$|\.1\.dylib$/.test(name))
        .map((name) => describeFile(name, join(runtime, name))),
    ),
    model: hashPart(
      listModelFiles(modelDir).map((name) => describeFile(`${model}/${name}`, join(modelDir, name))),
    ),
  }
  return { model, modelHash: readModelFiles(modelDir).fingerprint.hash, parts }
}

/** Finds the paths by which the loaders reach the files of {@link listEmbedded}. */
export function findLoaderPaths(target: Target, nodeModules: string, embedded: Embedded): LoaderPaths {
  const addon = embedded.parts.sharp.files.find((entry) => entry.name.endsWith('.node'))
  if (addon === undefined) throw new Error('The package of sharp contains no addon')
  const versions = readFileSync(join(nodeModules, `@img/sharp-libvips-${target.sharp}/versions.json`), 'utf8')
  return { sharp: addon.name, sharpVersions: versions.trim(), vectorExtension: target.vectorExtension }
}

/** Lists sharp's files. Its addon looks for libvips in a package beside its own, so both keep their folders. */
function listSharpFiles(target: Target, nodeModules: string): EmbeddedFile[] {
  return [`sharp-${target.sharp}`, `sharp-libvips-${target.sharp}`].flatMap((name) => {
    const folder = join(nodeModules, '@img', name, 'lib')
    return readdirSync(folder)
      .filter((entry) => /\.node$|\.so\.|\.dylib$/.test(entry))
      .map((entry) => describeFile(`${name}/lib/${entry}`, join(folder, entry)))
  })
}

function listModelFiles(modelDir: string): string[] {
  return [...modelFiles.needed, ...modelFiles.optional.filter((name) => existsSync(join(modelDir, name)))]
}

function describeFile(name: string, source: string): EmbeddedFile {
  return { name, source, sizeBytes: statSync(source).size, hash: hashFile(source) }
}

function hashPart(files: EmbeddedFile[]): EmbeddedPart {
  const hash = createHash('sha256')
  for (const { name, source, sizeBytes } of files)
    hash.update(`${name}\0${sizeBytes}\0`).update(readFileSync(source))
  return { hash: hash.digest('hex').slice(0, 16), files }
}
