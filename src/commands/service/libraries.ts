import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { wrongSettings } from '../../core/operator-error.ts'
import { listReplacedLibraries } from '../../platform/native/parts.ts'

/**
 * Logs which libraries of the operator replace unpacked ones.
 *
 * @throws OperatorError if their folder cannot be read.
 */
export function logLibraries({ LIBRARY_DIR: library_dir }: Config, log: Logger): void {
  if (!library_dir) return
  const libraries = listReplaced()
  if (libraries.length > 0) log.info({ library_dir, libraries }, 'using libraries from LIBRARY_DIR')
  else
    log.warn({ library_dir }, 'no file in LIBRARY_DIR has the name of an unpacked library: none is replaced')
}

function listReplaced(): string[] {
  try {
    return listReplacedLibraries()
  } catch (error) {
    throw wrongSettings([(error as Error).message])
  }
}
