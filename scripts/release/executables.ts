import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GLIBC_NEEDED } from '../../src/platform/native/glibc.ts'
import { bundledModelName } from '../../src/platform/native/model-folder.ts'
import { buildExecutable } from '../build/executable.ts'
import { preparePackages } from '../build/packages.ts'
import { listFiles } from '../build/parts.ts'
import { findTarget, nameThisMachine, type Target } from '../build/targets.ts'
import { type Release, ReleaseError } from './demands.ts'
import { findOldestGlibc } from './glibc.ts'

/** An executable of the release. */
export interface Executable {
  target: Target
  /** Its name in the folder of the release. */
  name: string
  bytes: number
  /** Where the packages lie whose libraries it contains. */
  nodeModules: string
  /** The oldest glibc that all its parts run with; undefined for macOS. */
  glibc: string | undefined
}

/**
 * Builds the executables, and tries the one for this machine.
 *
 * @param names targets.
 * @throws ReleaseError if it fails its smoke test, or is not among them.
 */
export async function makeExecutables(release: Release, names: readonly string[]): Promise<Executable[]> {
  const targets = names.map(findTarget)
  const own = targets.find(({ name }) => name === nameThisMachine())
  if (!own) throw new ReleaseError(`A release is tried: ${nameThisMachine()} must be among the targets`)
  const made: Executable[] = []
  for (const target of targets) made.push(await makeExecutable(release, target))
  // The refusal comes before anything else is made of it.
  const path = join(release.folder, nameExecutable(release, own))
  console.log(`${path}: smoke test`)
  const smoke = Bun.spawnSync([process.execPath, join(release.root, 'scripts/smoke.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = smoke.stdout.toString().trim().split('\n')
  if (smoke.exitCode !== 0)
    throw new ReleaseError(
      `${path} fails its smoke test:\n${said.filter((line) => !line.startsWith('ok')).join('\n')}`,
    )
  console.log(said.at(-1))
  return made
}

const nameExecutable = ({ version }: Release, { name }: Target): string => `lookalike-${version}-${name}`

async function makeExecutable(release: Release, target: Target): Promise<Executable> {
  const { root, folder, key } = release
  const name = nameExecutable(release, target)
  const outfile = join(folder, name)
  const modelDir = join(root, 'models', bundledModelName)
  await buildExecutable({
    root,
    entry: join(root, 'src/main.ts'),
    target: target.name,
    modelDir,
    releaseKey: key,
    outfile,
  })
  const { nodeModules } = await preparePackages(root, target)
  const parts = Object.values(listFiles(target, nodeModules, modelDir)).flat()
  const glibc =
    target.os === 'linux' ? findOldestGlibc([outfile, ...parts.map(({ path }) => path)]) : undefined
  if (glibc && glibc !== GLIBC_NEEDED)
    throw new ReleaseError(`${name} needs glibc ${glibc}, and src/platform/native/glibc.ts says otherwise`)
  const guide = readFileSync(join(root, 'src/guide/installing.md'), 'utf8')
  if (glibc && !guide.includes(`| \`${target.name}\` | glibc ${glibc} or newer`))
    throw new ReleaseError(`${name} needs glibc ${glibc}, and src/guide/installing.md says otherwise`)
  const bytes = statSync(outfile).size
  console.log(`${name}  ${(bytes / 1_000_000).toFixed(1)} MB${glibc ? `, glibc ${glibc} or newer` : ''}`)
  return { target, name, bytes, nodeModules, glibc }
}
