import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inspectModel } from '../../src/platform/embedder/inspect.ts'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import type { Embedded, EmbeddedFile, EmbeddedPart, UsualPart } from '../../src/platform/native/embedded.ts'
import { packFile } from './pack.ts'
import { type Target, TargetError } from './targets.ts'

/** The facts about a target's packages that the swapped loaders need. */
export interface LoaderPaths {
  /** Path of sharp's addon in the folder of its part. */
  sharp: string
  /** The versions of libvips and its codecs, as a JSON object. */
  sharpVersions: string
  /** The vector extension's file name. */
  vectorExtension: string
}

/** A file for the executable: its path below the part's folder, and its place on this machine. */
interface Listed {
  name: string
  path: string
  isProgram?: boolean
}

/** Where npm's package has the program that copies databases. */
const LITESTREAM_PACKAGE = '@flydotio/litestream-linux-x64'

/**
 * Lists the files that an executable for `target` contains besides its own code, by the part that they belong to.
 *
 * @throws UnusableModel for a model folder that the program could not use.
 */
export function listFiles(
  target: Target,
  nodeModules: string,
  modelDir: string,
): Record<UsualPart, Listed[]> {
  const runtime = join(nodeModules, 'onnxruntime-node/bin/napi-v6', target.os, target.cpu)
  const prebuilt = `${target.os}-${target.cpu}.node`
  const vectorPackage = join(nodeModules, `sqlite-vec-${target.os}-${target.cpu}`)
  const model = basename(modelDir)
  return {
    sqlite: [
      // Bun refuses to load a file named better_sqlite3.node because of older versions of the package.
      { name: 'database.node', path: join(nodeModules, 'better-sqlite3/prebuilds', prebuilt) },
      // SQLite derives the name of the entry function from this file name.
      { name: target.vectorExtension, path: join(vectorPackage, target.vectorExtension) },
    ],
    argon2: [
      {
        name: 'argon2.node',
        path: join(nodeModules, `@node-rs/argon2-${target.argon2}`, `argon2.${target.argon2}.node`),
      },
    ],
    sharp: listSharpFiles(target, nodeModules),
    // The binding looks for the library beside itself. WebGPU lies inside the library of x64 and macOS.
    onnxruntime: readdirSync(runtime)
      .filter((name) => name === 'onnxruntime_binding.node' || /\.so\.1$|\.1\.dylib$/.test(name))
      .map((name) => ({ name, path: join(runtime, name) })),
    model: inspectModel(modelDir).files.map(({ path }) => ({
      name: `${model}/${path}`,
      path: join(modelDir, path),
    })),
  }
}

/**
 * Packs the files of {@link listFiles}.
 *
 * @param packedDir keeps what was packed for the next build.
 * @param hasLitestream whether the executable is to carry Litestream.
 */
export async function listEmbedded(
  target: Target,
  nodeModules: string,
  { modelDir, packedDir, hasLitestream }: { modelDir: string; packedDir: string; hasLitestream: boolean },
): Promise<Embedded> {
  const listed = listFiles(target, nodeModules, modelDir)
  const pack = (part: UsualPart) => packPart(listed[part], packedDir)
  const parts: Record<UsualPart, EmbeddedPart> = {
    sqlite: await pack('sqlite'),
    argon2: await pack('argon2'),
    sharp: await pack('sharp'),
    onnxruntime: await pack('onnxruntime'),
    model: await pack('model'),
  }
  const litestream = hasLitestream ? await packLitestream(target, nodeModules, packedDir) : undefined
  return {
    model: basename(modelDir),
    modelHash: readModelFiles(modelDir).fingerprint.hash,
    parts: { ...parts, ...(litestream && { litestream }) },
  }
}

/** Finds the paths by which the loaders reach the files of {@link listEmbedded}. */
export function findLoaderPaths(target: Target, nodeModules: string, embedded: Embedded): LoaderPaths {
  const addon = embedded.parts.sharp.files.find((entry) => entry.name.endsWith('.node'))
  if (addon === undefined) throw new Error('The package of sharp contains no addon')
  const versions = readFileSync(join(nodeModules, `@img/sharp-libvips-${target.sharp}/versions.json`), 'utf8')
  return { sharp: addon.name, sharpVersions: versions.trim(), vectorExtension: target.vectorExtension }
}

/** Lists sharp's files. Its addon looks for libvips in a package beside its own, so both keep their folders. */
function listSharpFiles(target: Target, nodeModules: string): Listed[] {
  return [`sharp-${target.sharp}`, `sharp-libvips-${target.sharp}`].flatMap((name) => {
    const folder = join(nodeModules, '@img', name, 'lib')
    return readdirSync(folder)
      .filter((entry) => /\.node$|\.so\.|\.dylib$/.test(entry))
      .map((entry) => ({ name: `${name}/lib/${entry}`, path: join(folder, entry) }))
  })
}

/** @throws TargetError for a target that npm has no program for. */
async function packLitestream(target: Target, nodeModules: string, packedDir: string): Promise<EmbeddedPart> {
  const path = join(nodeModules, LITESTREAM_PACKAGE, 'litestream')
  if (target.name !== 'linux-x64')
    throw new TargetError(`There is no Litestream for ${target.name} in npm: name its path in LITESTREAM`)
  return packPart([{ name: 'litestream', path, isProgram: true }], packedDir)
}

async function packPart(listed: readonly Listed[], packedDir: string): Promise<EmbeddedPart> {
  const hash = createHash('sha256')
  const files: EmbeddedFile[] = []
  for (const { name, path, isProgram } of listed) {
    const bytes = readFileSync(path)
    hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    files.push({ name, ...(await packFile(bytes, packedDir)), ...(isProgram && { isProgram }) })
  }
  return { hash: hash.digest('hex').slice(0, 16), files }
}
