import { closeSync, openSync, readSync } from 'node:fs'
import { runTool } from './demands.ts'

const ELF_MAGIC = 0x7f454c46

/**
 * Finds the oldest glibc that programs and libraries run with: the newest version that one of them needs a symbol of.
 *
 * @param paths files; those that are no programs are passed over.
 * @returns such as `2.28`.
 */
export function findOldestGlibc(paths: readonly string[]): string {
  const versions = paths.filter(isElf).flatMap((path) => {
    const said = runTool(['readelf', '--version-info', '--wide', path], { env: { LC_ALL: 'C' } })
    return [...said.matchAll(/Name: GLIBC_([\d.]+)/g)].map(([, version = '']) => version)
  })
  return versions.reduce((one, other) => (compareVersions(one, other) < 0 ? other : one), '2.0')
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number))
  const at = a?.findIndex((number, n) => number !== (b?.[n] ?? 0)) ?? -1
  return at < 0 ? -1 : (a?.[at] ?? 0) - (b?.[at] ?? 0)
}

function isElf(path: string): boolean {
  const start = Buffer.alloc(4)
  const file = openSync(path, 'r')
  try {
    return readSync(file, start, 0, start.length, 0) === start.length && start.readUInt32BE(0) === ELF_MAGIC
  } finally {
    closeSync(file)
  }
}
