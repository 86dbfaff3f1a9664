import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameThisMachine, type Target } from './targets.ts'

/** The folder of a target's packages, and the Bun to compile into if it is not the running one. */
export interface TargetPackages {
  nodeModules: string
  runtime: string | undefined
}

/**
 * Prepares the native packages of a target. This machine uses our own `node_modules`. Another machine gets a copy in
 * `dist/cross/<target>`, installed from our lock file, so that versions and checksums are the same.
 */
export async function preparePackages(root: string, target: Target): Promise<TargetPackages> {
  if (target.name === nameThisMachine())
    return { nodeModules: join(root, 'node_modules'), runtime: undefined }
  const folder = join(root, 'dist/cross', target.name)
  const machine = ['--os', target.os, '--cpu', target.cpu, '--ignore-scripts']
  await fillOnce(folder, readFileSync(join(root, 'bun.lock'), 'utf8'), async () => {
    for (const name of ['package.json', 'bun.lock']) cpSync(join(root, name), join(folder, name))
    await runBun(folder, 'install', '--frozen-lockfile', '--production', '--linker', 'hoisted', ...machine)
  })
  const runtimeFolder = join(folder, 'runtime')
  const runtimePackage = `${target.runtimePackage}@${Bun.version}`
  await fillOnce(runtimeFolder, runtimePackage, async () => {
    writeFileSync(join(runtimeFolder, 'package.json'), '{ "name": "runtime", "private": true }\n')
    await runBun(runtimeFolder, 'add', '--exact', ...machine, runtimePackage)
  })
  return {
    nodeModules: join(folder, 'node_modules'),
    runtime: join(runtimeFolder, 'node_modules', target.runtimePackage, 'bin/bun'),
  }
}

/** Fills a folder, unless an earlier run completed it for the same key. */
async function fillOnce(folder: string, key: string, fill: () => Promise<void>): Promise<void> {
  const stamp = join(folder, 'installed-for')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return
  mkdirSync(folder, { recursive: true })
  await fill()
  writeFileSync(stamp, key)
}

async function runBun(folder: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, ...args], { cwd: folder, stdout: 'inherit', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`bun ${args.join(' ')} failed in ${folder}`)
}
