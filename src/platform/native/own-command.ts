import { fileURLToPath } from 'node:url'
import { libraryDirVariable } from './library-dir.ts'
import { ownLibraryDir, unpackDir } from './parts.ts'
import { unpackDirVariable } from './unpack-base.ts'

/**
 * The command line that starts this program again with other arguments, for child processes.
 *
 * In the executable that is the executable itself; from sources it is Bun with `src/main.ts`.
 */
export function ownCommand(...args: string[]): string[] {
  if (Bun.isStandaloneExecutable) return [process.execPath, ...args]
  return [process.execPath, fileURLToPath(new URL('../../main.ts', import.meta.url)), ...args]
}

/**
 * The variables that a child process of this program cannot do without, for callers that hand it no other environment:
 * without them it would look for its libraries in a data folder that it was not told about.
 */
export function ownEnvironment(): Record<string, string> {
  const dir = unpackDir()
  const libraries = ownLibraryDir()
  return {
    ...(dir !== undefined && { [unpackDirVariable]: dir }),
    ...(libraries !== undefined && { [libraryDirVariable]: libraries }),
  }
}
