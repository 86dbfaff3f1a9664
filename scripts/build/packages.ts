import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Target, thisMachine } from './targets.ts'

/** Where the packages of a target lie, and the Bun to compile into if it is not the one that runs. */
export interface TargetPackages {
  nodeModules: string
  runtime: string | undefined
}

/**
 * Finds the native packages of a target: our own `node_modules` for this machine; for another one a copy of them in
 * `dist/cross/<target>`, installed by the lock file for that machine, so that versions and checksums are ours.
 */
export async function targetPackages(root: string, target: Target): Promise<TargetPackages> {
  if (target.name === thisMachine()) return { nodeModules: join(root, 'node_modules'), runtime: undefined }
  const folder = join(root, 'dist/cross', target.name)
  const machine = ['--os', target.os, '--cpu', target.cpu, '--ignore-scripts']
  await once(folder, readFileSync(join(root, 'bun.lock'), 'utf8'), async () => {
    for (const name of ['package.json', 'bun.lock']) cpSync(join(root, name), join(folder, name))
    await bun(folder, 'install', '--frozen-lockfile', '--production', '--linker', 'hoisted', ...machine)
  })
  const runtimeFolder = join(folder, 'runtime')
  const runtimePackage = `${target.runtimePackage}@${Bun.version}`
  await once(runtimeFolder, runtimePackage, async () => {
    writeFileSync(join(runtimeFolder, 'package.json'), '{ "name": "runtime", "private": true }\n')
    await bun(runtimeFolder, 'add', '--exact', ...machine, runtimePackage)
  })
  return {
    nodeModules: join(folder, 'node_modules'),
    runtime: join(runtimeFolder, 'node_modules', target.runtimePackage, 'bin/bun'),
  }
}

/** Fills a folder unless the last time was for the same key and came to its end. */
async function once(folder: string, key: string, fill: () => Promise<void>): Promise<void> {
  const stamp = join(folder, 'installed-for')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return
  mkdirSync(folder, { recursive: true })
  await fill()
  writeFileSync(stamp, key)
}

async function bun(folder: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, ...args], { cwd: folder, stdout: 'inherit', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`bun ${args.join(' ')} failed in ${folder}`)
}
