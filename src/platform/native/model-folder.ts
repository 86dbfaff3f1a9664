import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { embedded } from './embedded.ts'
import { unpackedFile } from './parts.ts'

/** Folder name of the bundled model: that of the build, or the one that the checkout brings. */
export const bundledModelName: string = embedded?.model ?? 'lookalike-clip-v1'

/** The bundled model's fingerprint as computed by the build; undefined when the program runs from source. */
export const bundledModelHash = (): string | undefined => embedded?.modelHash

/** The bundled model's folder: in the checkout when the program runs from source, else unpacked from the executable. */
export function bundledModelDir(): string {
  if (embedded !== undefined) return unpackedFile('model', embedded.model)
  return fileURLToPath(new URL(`../../../models/${bundledModelName}`, import.meta.url))
}

/**
 * Checks every byte of the bundled model before a process loads it, and unpacks damaged files again. Damaged weights
 * would give wrong vectors, perhaps close enough to pass the self-test. An operator's own model is not checked.
 */
export function checkBundledModel(modelDir: string): void {
  if (embedded === undefined) return
  if (basename(dirname(modelDir)) === `model-${embedded.parts.model.hash}`) bundledModelDir()
}
