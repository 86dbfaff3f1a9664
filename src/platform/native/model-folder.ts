import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { embedded } from './embedded.ts'
import { unpackedFile } from './parts.ts'

/** Folder name of the model that is bundled unless the build is told otherwise. */
export const bundledModelName = 'lookalike-clip-v0'

/** The bundled model's fingerprint where the build has worked it out; undefined when run from sources. */
export const bundledModelHash = (): string | undefined => embedded?.modelHash

/** The bundled model's folder on disk: of the checkout when run from sources, else unpacked from the executable. */
export function bundledModelDir(): string {
  if (embedded !== undefined) return unpackedFile('model', embedded.model)
  return fileURLToPath(new URL(`../../../models/${bundledModelName}`, import.meta.url))
}

/**
 * Looks at every byte of the bundled model before a process loads it, and unpacks again what is damaged: other weights
 * would give other vectors, perhaps so near that the self-test passes. A model of the operator's own is left alone.
 */
export function checkBundledModel(modelDir: string): void {
  if (embedded === undefined) return
  if (basename(dirname(modelDir)) === `model-${embedded.parts.model.hash}`) bundledModelDir()
}
