import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** The executable of these sources: the one that `LOOKALIKE_EXECUTABLE` names, or one that is built for the test. */
export function builtExecutable(): { path: string; remove(): void } {
  const given = process.env['LOOKALIKE_EXECUTABLE']
  if (given) return { path: given, remove: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-built-'))
  const path = join(folder, 'lookalike')
  const build = Bun.spawnSync([process.execPath, 'build.ts', '--outfile', path], { cwd: ROOT })
  if (!build.success) throw new Error(`The build failed: ${build.stderr}`)
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
