import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { wrongSettings } from '../core/operator-error.ts'
import { replacedLibraries } from '../platform/native/parts.ts'

/**
 * Tells which libraries of the operator's stand in for unpacked ones.
 *
 * @throws OperatorError when their folder cannot be read.
 */
export function tellLibraries({ LIBRARY_DIR: library_dir }: Config, log: Logger): void {
  if (!library_dir) return
  const libraries = namesIn()
  if (libraries.length > 0) log.info({ library_dir, libraries }, 'libraries of your own are used')
  else
    log.warn(
      { library_dir },
      'no file in LIBRARY_DIR has the name of an unpacked library: all stay as they are',
    )
}

function namesIn(): string[] {
  try {
    return replacedLibraries()
  } catch (error) {
    throw wrongSettings([(error as Error).message])
  }
}
