import { fileURLToPath } from 'node:url'
import { libraryDirVariable } from './library-dir.ts'
import { ownLibraryDir, unpackDir } from './parts.ts'
import { unpackDirVariable } from './unpack-base.ts'

/**
 * The command line that starts this program as a child process with other arguments.
 *
 * It is the executable itself, or Bun with `src/main.ts` when the program runs from source.
 */
export function ownCommand(...args: string[]): string[] {
  if (Bun.isStandaloneExecutable) return [process.execPath, ...args]
  return [process.execPath, fileURLToPath(new URL('../../main.ts', import.meta.url)), ...args]
}

/**
 * The variables that every child process of this program needs, for callers that pass no other environment. Without
 * them the child would search for its libraries in the default data folder.
 */
export function ownEnvironment(): Record<string, string> {
  const dir = unpackDir()
  const libraries = ownLibraryDir()
  return {
    ...(dir !== undefined && { [unpackDirVariable]: dir }),
    ...(libraries !== undefined && { [libraryDirVariable]: libraries }),
  }
}
