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

/** Variables that name the certificates to trust. */
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR'] as const

/** Those of this process, for a child that is another program. */
export const certificateEnvironment = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> =>
  Object.fromEntries(CERTIFICATES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
