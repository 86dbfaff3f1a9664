import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledModelName } from '../../src/platform/native/model-folder.ts'
import { listFiles } from '../build/parts.ts'
import { findPackages, type Notice } from '../generate/notices/collect.ts'
import { collectNotices, type Notices } from '../generate/notices.ts'
import { type Release, ReleaseError, runTool } from './demands.ts'
import type { Executable } from './executables.ts'

/** What we read and write of a component of CycloneDX 1.7. */
interface Component {
  type: string
  group?: string
  name: string
  version?: string
  purl?: string
  'bom-ref'?: string
  hashes?: { alg: string; content: string }[]
  licenses?: { license: { id: string } | { name: string } }[]
}

/** Licences that SPDX knows by these names; the others are named in words. */
const SPDX = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0',
  'CC0-1.0',
  'CC-BY-4.0',
  'ISC',
  'LGPL-2.1',
  'LGPL-3.0',
  'MIT',
  'MPL-1.1',
  'MPL-2.0',
  'Unlicense',
  'Zlib',
])

/**
 * Writes the bill of materials of an executable (CycloneDX): the npm packages in it, with the hashes that cdxgen reads from the lock file, the
 * runtime, the native libraries with what is linked into them, the model and its data.
 */
export async function writeBill(release: Release, executable: Executable): Promise<void> {
  const { root, folder, version, commit } = release
  const locked = readLocked(release)
  const notices = await collectNotices()
  const date = new Date(`${commit.date}T00:00:00Z`).toISOString()
  const packages = listPackages(notices, root, executable).map(({ name, licence }) =>
    describePackage(name, licence, locked),
  )
  const model = describeModel(root)
  const data = notices.data.map((notice) => describePart('data', notice))
  const groups = listGroups(notices)
  const components = [...packages, model, ...data, ...groups.flat()]
  const own = `lookalike@${version}`
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    serialNumber: `urn:uuid:${toUuid(`${commit.hash} ${executable.name}`)}`,
    version: 1,
    metadata: {
      timestamp: date,
      tools: {
        components: [
          { type: 'application', group: '@cyclonedx', name: 'cdxgen', version: readToolVersion(root) },
        ],
      },
      manufacturer: { name: 'The Lookalike maintainers' },
      component: {
        type: 'application',
        name: 'lookalike',
        version,
        'bom-ref': own,
        purl: `pkg:generic/${own}`,
        copyright: 'The Lookalike maintainers',
        hashes: [{ alg: 'SHA-256', content: await hashOf(join(folder, executable.name)) }],
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components,
    // The first of a group is what the others are linked into.
    dependencies: [
      { ref: own, dependsOn: [...packages, model, ...groups.map(([whole]) => whole)].map(refOf) },
      ...groups.map(([whole, ...parts]) => ({ ref: refOf(whole), dependsOn: parts.map(refOf) })),
      { ref: refOf(model), dependsOn: data.map(refOf) },
      ...[...packages, ...data, ...groups.flatMap(([, ...parts]) => parts)].map((one) => ({
        ref: refOf(one),
        dependsOn: [],
      })),
    ],
  }
  const path = join(folder, `${executable.name}.cdx.json`)
  writeFileSync(path, `${JSON.stringify(bill, null, 2)}\n`)
  // Its benchmarks grade the process of a company; the schema and the references must be right.
  runTool([
    join(toolsOf(root), 'node_modules/.bin/cdx-validate'),
    '--strict',
    '--fail-severity',
    'critical',
    '--input',
    path,
  ])
  console.log(`${executable.name}.cdx.json  ${components.length} components`)
}

/** The npm packages of an executable: the code is the same on every machine, the native libraries are not. */
function listPackages(
  { packages }: Notices,
  root: string,
  { target, nodeModules }: Executable,
): { name: string; licence: string }[] {
  const files = (modules: string) => {
    const parts = listFiles(target, modules, join(root, 'models', bundledModelName))
    return findPackages(
      Object.values(parts)
        .flat()
        .map(({ path }) => path),
    )
  }
  const native = files(nodeModules)
  const isForOther = (name: string) => NATIVE.test(name) && !native.includes(name)
  const licenceOf = (name: string): string => {
    const { license } = JSON.parse(readFileSync(join(nodeModules, name, 'package.json'), 'utf8')) as {
      license: string
    }
    return license
  }
  const known = packages.filter(({ name }) => !isForOther(name))
  const added = native.filter((name) => !known.some((one) => one.name === name))
  return [...known, ...added.map((name) => ({ name, licence: licenceOf(name) }))]
}

/** Packages that come once for each kind of machine. */
const NATIVE = /^(?:@img\/sharp-|@node-rs\/argon2-|sqlite-vec-)/

/** What is linked into the runtime and into the native libraries, each time behind the library itself. */
function listGroups({ runtime, libvips, onnxruntime, packages }: Notices): Component[][] {
  const version = packages.find(({ name }) => name === 'onnxruntime-node')?.version ?? ''
  const named = onnxruntime.map((notice) => (notice.name === 'onnxruntime' ? { ...notice, version } : notice))
  const isVips = ({ name }: Notice) => name.startsWith('libvips')
  const groups: [kind: string, notices: Notice[]][] = [
    ['bun', runtime],
    ['libvips', [...libvips.filter(isVips), ...libvips.filter((notice) => !isVips(notice))]],
    ['onnxruntime', named],
  ]
  return groups.map(([kind, notices]) => notices.map((notice) => describePart(kind, notice)))
}

const refOf = (component: Component | undefined): string => component?.['bom-ref'] ?? ''

/** @throws ReleaseError for a package that the lock file does not have. */
function describePackage(name: string, licence: string, locked: ReadonlyMap<string, Component>): Component {
  const found = locked.get(name)
  if (!found)
    throw new ReleaseError(`The bill of materials has no ${name}: cdxgen does not find it in bun.lock`)
  const { type, group, version, purl, hashes } = found
  return {
    type,
    ...(group && { group }),
    name: found.name,
    ...(version && { version }),
    ...(purl && { purl, 'bom-ref': found['bom-ref'] ?? purl }),
    ...(hashes && { hashes }),
    licenses: formatLicence(licence),
  }
}

const describePart = (kind: string, { name, version, licence }: Notice): Component => ({
  type: kind === 'data' ? 'data' : 'library',
  name,
  ...(version && { version }),
  'bom-ref': `${kind}/${name}`,
  purl: `pkg:generic/${encodeURIComponent(toPackageName(name))}${version ? `@${encodeURIComponent(version.split(' ')[0] ?? '')}` : ''}`,
  licenses: formatLicence(licence),
})

/** `libvips (with libnsgif, MIT)` is `libvips`. */
const toPackageName = (name: string): string => name.replace(/ \(.*/, '').toLowerCase().replaceAll(' ', '-')

function describeModel(root: string): Component {
  const path = join(root, 'models', bundledModelName, 'onnx/vision_model_quantized.onnx')
  const content = new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
  return {
    type: 'machine-learning-model',
    name: bundledModelName,
    purl: `pkg:generic/${bundledModelName}`,
    'bom-ref': `model/${bundledModelName}`,
    hashes: [{ alg: 'SHA-256', content }],
    licenses: [{ license: { name: 'see its model card, in the licences' } }],
  }
}

const formatLicence = (licence: string): { license: { id: string } | { name: string } }[] => [
  { license: SPDX.has(licence) ? { id: licence } : { name: licence } },
]

const toolsOf = (root: string): string => join(root, 'dist/release-tools')

const readToolVersion = (root: string): string =>
  (
    JSON.parse(readFileSync(join(root, 'scripts/release/tools/package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
  ).dependencies['@cyclonedx/cdxgen'] ?? ''

/** Lets cdxgen read the lock file. @returns the packages by name. */
function readLocked({ root }: Release): Map<string, Component> {
  const tools = toolsOf(root)
  mkdirSync(tools, { recursive: true })
  for (const name of ['package.json', 'bun.lock'])
    cpSync(join(root, 'scripts/release/tools', name), join(tools, name))
  runTool([process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts'], { cwd: tools })
  const path = join(tools, 'lock.cdx.json')
  const words = ['--type', 'js', '--no-install-deps', '--no-recurse', '--no-babel', '--output', path, root]
  runTool([join(tools, 'node_modules/.bin/cdxgen'), ...words], { env: { FETCH_LICENSE: 'false' } })
  const { components } = JSON.parse(readFileSync(path, 'utf8')) as { components: Component[] }
  return new Map(components.map((one) => [one.group ? `${one.group}/${one.name}` : one.name, one]))
}

/** A UUID that a text decides (RFC 9562, version 8). */
function toUuid(text: string): string {
  const hex = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

async function hashOf(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const piece of Bun.file(path).stream()) hash.update(piece)
  return hash.digest('hex')
}
