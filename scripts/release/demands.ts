import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Commit } from '../../src/version.ts'
import { readCommit } from '../build/commit.ts'
import type { Changes } from './changes.ts'

/** A release that cannot be made; the message says why, and what to do. */
export class ReleaseError extends Error {}

/** What all parts of a release are made from. */
export interface Release {
  /** Folder of the checkout. */
  root: string
  /** Folder of the release. */
  folder: string
  version: string
  commit: Commit
  changes: Changes
  /** The public key, one line. */
  key: string
  /** Where the folder will be served, without a slash at the end; undefined if nobody has said so. */
  url?: string | undefined
}

/** Paths of the two halves of the key. */
export interface Keys {
  secret: string
  public: string
}

/** Programs of Debian that a release is made with, by the package that has them. */
const TOOLS = {
  minisign: 'minisign',
  readelf: 'binutils',
  'dpkg-deb': 'dpkg',
}

/** @returns the commit of the checkout. @throws ReleaseError naming every reason at once. */
export function demandReleasable(root: string, version: string, keys: Keys): Commit {
  const commit = readCommit(root)
  const own = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version
  const missing = Object.entries(TOOLS).filter(([name]) => Bun.which(name) === null)
  const problems = [
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`${version} is no version, such as 1.2.3`]),
    ...(own === version ? [] : [`package.json has version ${own}, not ${version}`]),
    ...(/^[0-9a-f]{40}$/.test(commit.hash) ? [] : ['the checkout has changes that are not committed']),
    ...(isClean(root) ? [] : ['the checkout has files that git does not know']),
    ...Object.values(keys)
      .filter((path) => !existsSync(path))
      .map((path) => `there is no ${path}: make a key with minisign -G`),
    ...missing.map(([name, from]) => `${name} is missing: apt-get install ${from}`),
  ]
  if (problems.length > 0) throw new ReleaseError(`No release:\n  ${problems.join('\n  ')}`)
  return commit
}

const isClean = (root: string): boolean =>
  !Bun.spawnSync(['git', '-C', root, 'status', '--porcelain'])
    .stdout.toString()
    .split('\n')
    .some((line) => line.startsWith('??'))

/** Empties the folder of an earlier release. @throws ReleaseError for a folder that holds something else. */
export function emptyFolder(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : []
  // The first file that a release makes is an executable.
  if (names.length > 0 && !names.some((name) => /^lookalike-\d/.test(name)))
    throw new ReleaseError(`${folder} is not empty and holds no release: name another folder`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
}

/** Runs a program of this machine. @returns what it prints. @throws ReleaseError with what it said if it fails. */
export function runTool(words: readonly string[], { cwd = '.', env = {} }: ToolPlace = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...words], {
    cwd,
    env: { ...process.env, ...env },
    stdin: 'inherit',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if (exitCode === 0) return stdout.toString()
  throw new ReleaseError(
    `${words.slice(0, 2).join(' ')} failed: ${(stderr.toString() || stdout.toString()).trim()}`,
  )
}

interface ToolPlace {
  cwd?: string
  env?: Record<string, string>
}
