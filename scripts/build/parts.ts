import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inspectModel } from '../../src/platform/embedder/inspect.ts'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import type { Embedded, EmbeddedFile, EmbeddedPart, PartName } from '../../src/platform/native/embedded.ts'
import { packFile } from './pack.ts'
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

/** A file for the executable: its path below the part's folder, and its place on this machine. */
interface Listed {
  name: string
  path: string
}

/**
 * Lists the files that an executable for `target` contains besides its own code, by the part that they belong to.
 *
 * @throws UnusableModel for a model folder that the program could not use.
 */
export function listFiles(target: Target, nodeModules: string, modelDir: string): Record<PartName, Listed[]> {
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
 */
export async function listEmbedded(
  target: Target,
  nodeModules: string,
  modelDir: string,
  packedDir: string,
): Promise<Embedded> {
  const listed = listFiles(target, nodeModules, modelDir)
  const pack = (part: PartName) => packPart(listed[part], packedDir)
  const parts: Record<PartName, EmbeddedPart> = {
    sqlite: await pack('sqlite'),
    argon2: await pack('argon2'),
    sharp: await pack('sharp'),
    onnxruntime: await pack('onnxruntime'),
    model: await pack('model'),
  }
  return { model: basename(modelDir), modelHash: readModelFiles(modelDir).fingerprint.hash, parts }
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

async function packPart(listed: readonly Listed[], packedDir: string): Promise<EmbeddedPart> {
  const hash = createHash('sha256')
  const files: EmbeddedFile[] = []
  for (const { name, path } of listed) {
    const bytes = readFileSync(path)
    hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    files.push({ name, ...(await packFile(bytes, packedDir)) })
  }
  return { hash: hash.digest('hex').slice(0, 16), files }
}
