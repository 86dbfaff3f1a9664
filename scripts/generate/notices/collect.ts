import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Component, LIBVIPS, type LicenceName, PACKAGES } from './components.ts'

const HERE = import.meta.dir

/** One entry of the notices. */
export interface Notice {
  name: string
  version: string
  licence: string
  /** Its own texts, one after another. */
  texts: string[]
  /** Full texts that stand once at the end. */
  licences: readonly LicenceName[]
}

/** Names of files with licences and notices. */
export const LICENCE_FILE = /^(licen[cs]e|copying|notice|third.?party)/i

/** Packages that belong to another one, whose licence text covers them. */
const PARENTS: readonly (readonly [RegExp, string])[] = [
  [/^sqlite-vec-/, 'sqlite-vec'],
  [/^@node-rs\/argon2-/, '@node-rs/argon2'],
]

interface Manifest {
  version: string
  license?: string | { type: string }
}

/**
 * Collects the licence texts of an npm package.
 *
 * @param nodeModules the folder that the package lies in.
 * @throws Error if neither the package nor `components.ts` has any.
 */
export function collectPackage(name: string, nodeModules: string): Notice {
  const folder = join(nodeModules, name)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const parent = PARENTS.find(([pattern]) => pattern.test(name))?.[1]
  if (parent !== undefined) return { ...collectPackage(parent, nodeModules), name, version }
  const given = PACKAGES[name]
  const licence = given?.licence ?? (typeof license === 'string' ? license : license?.type)
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file) && !/\.(js|ts|json)$/.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  if (texts.length === 0 && given === undefined) {
    throw new Error(`${name} ships without a licence text: add it to scripts/generate/notices/components.ts`)
  }
  if (licence === undefined) throw new Error(`${name} does not name its licence`)
  return {
    ...{ name, version, licence },
    texts: [...(given?.copyright ?? []), ...texts],
    licences: given?.licences ?? [],
  }
}

/** Collects the notices of a component. @throws Error if it has none. */
export function collectComponent(component: Component, version = ''): Notice {
  const { name, licence, licences = [], copyright = [], file } = component
  const text = file === undefined ? [] : [readText('libraries', file)]
  const texts = [...(copyright.length > 0 ? [copyright.join('\n')] : []), ...text]
  if (texts.length === 0) throw new Error(`${name} ships without a notice`)
  return { name, version, licence, texts, licences }
}

/**
 * Collects the notices of libvips and of the libraries inside it.
 *
 * @param versions the versions by library, as its package lists them.
 * @throws Error for a library that `components.ts` does not know.
 */
export function collectLibvips(versions: Readonly<Record<string, string>>): Notice[] {
  return Object.entries(versions).map(([key, version]) => {
    const component = LIBVIPS[key]
    if (component === undefined) throw new Error(`libvips contains ${key}, which has no notice`)
    return collectComponent(component, version)
  })
}

/** Reads a file of this folder. @throws Error if it is missing. */
export function readText(folder: '.' | 'libraries' | 'licences', name: string): string {
  const path = join(HERE, folder, `${name}.txt`)
  if (!existsSync(path)) throw new Error(`${path} is missing`)
  return readFileSync(path, 'utf8').trim()
}

/** Finds the npm packages whose files are in a list of paths. */
export function findPackages(paths: Iterable<string>): string[] {
  const names = new Set<string>()
  for (const path of paths) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
    if (name !== undefined) names.add(name)
  }
  return [...names].sort()
}
