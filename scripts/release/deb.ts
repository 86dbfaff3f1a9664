import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DEBIAN_PACKAGE, UNIT_NAME } from '../../src/commands/systemd/places.ts'
import { formatUnit } from '../../src/commands/systemd/unit.ts'
import { loadConfig } from '../../src/config.ts'
import { type Release, runTool } from './demands.ts'
import type { Executable } from './executables.ts'
import type { Package } from './packages.ts'

/** Debian's names of processors. */
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const
const PLACES = {
  executable: DEBIAN_PACKAGE.executable,
  settings: '/etc/lookalike/env',
  dataDir: '/var/lib/lookalike',
}
const MAINTAINER = 'The Lookalike maintainers <maintainers@lookalike.invalid>'
const SCRIPTS = ['postinst', 'prerm', 'postrm', 'templates', 'config']

/** Makes a package for Debian and Ubuntu of each executable for Linux. */
export function makeDebs(release: Release, executables: readonly Executable[]): Package[] {
  return executables
    .filter(({ target }) => target.os === 'linux')
    .map((executable) => ({
      name: makeDeb(release, executable),
      meaning: `package for Debian and Ubuntu, ${ARCHITECTURES[executable.target.cpu]}`,
    }))
}

/** @returns its name. */
function makeDeb(release: Release, { name: program, target, glibc }: Executable): string {
  const { root, folder, version, commit } = release
  const tree = join(root, 'dist/deb', target.name)
  rmSync(tree, { recursive: true, force: true })
  const write = (path: string, content: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true, mode: 0o755 })
    writeFileSync(join(tree, path), content, { mode })
  }
  const files = join(root, 'scripts/release/files')
  const read = (path: string) => readFileSync(join(files, path), 'utf8')
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  cpSync(join(folder, program), join(tree, PLACES.executable))
  write('usr/lib/systemd/system/lookalike.service', writeUnit())
  write(PLACES.settings, read('deb/env'))
  write('usr/share/doc/lookalike/copyright', read('deb/copyright'))
  const date = new Date(`${commit.date}T00:00:00Z`)
  const changes = `lookalike (${version}) stable; urgency=medium\n\n  * What changed stands in the guide of the service, at /docs/guide/changelog.\n\n -- ${MAINTAINER}  ${formatDate(date)}\n`
  write('usr/share/doc/lookalike/changelog.gz', gzipSync(changes, { level: 9 }))
  write(
    'usr/share/man/man1/lookalike.1.gz',
    gzipSync(read('deb/lookalike.1').replace('@VERSION@', version), { level: 9 }),
  )
  write('usr/share/lintian/overrides/lookalike', read('deb/overrides'))
  write('DEBIAN/control', writeControl(version, ARCHITECTURES[target.cpu], glibc ?? '', kibibytesOf(tree)))
  write('DEBIAN/conffiles', `${PLACES.settings}\n`)
  for (const name of SCRIPTS)
    write(`DEBIAN/${name}`, read(`deb/${name}`), name === 'templates' ? 0o644 : 0o755)
  const name = `lookalike_${version}_${ARCHITECTURES[target.cpu]}.deb`
  // The same commit gives the same package.
  const env = { SOURCE_DATE_EPOCH: String(date.getTime() / 1000) }
  runTool(['dpkg-deb', '--root-owner-group', '-Zxz', '--build', tree, join(folder, name)], { env })
  rmSync(tree, { recursive: true })
  console.log(`${name}  ${(statSync(join(folder, name)).size / 1_000_000).toFixed(1)} MB`)
  return name
}

/**
 * The unit of `lookalike service install`, for a program and settings that the package owns. It may listen on port 443, so that `DOMAIN` works
 * without another unit.
 */
function writeUnit(): string {
  const config = loadConfig({ DATA_DIR: PLACES.dataDir, PORT: '443' }, {}, () => '')
  const [, ...lines] = formatUnit({ isOfUser: false, places: PLACES, config }).split('\n')
  return ['# Changes of your own: systemctl edit lookalike. Settings: /etc/lookalike/env.', ...lines].join(
    '\n',
  )
}

const writeControl = (
  version: string,
  architecture: string,
  glibc: string,
  kibibytes: number,
): string => `Package: ${UNIT_NAME}
Version: ${version}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${kibibytes}
Depends: libc6 (>= ${glibc}), libstdc++6 (>= 11), libgcc-s1, adduser, debconf (>= 0.5) | debconf-2.0
Recommends: systemd
Section: web
Priority: optional
Description: visual product search for online stores
 Lookalike finds products by picture, by words and by both over an HTTP API,
 with a widget for the shop and a portal for the staff. The model and the
 database are inside; it downloads nothing at run time.
`

/** What the files of a package take, as dpkg counts it. */
const kibibytesOf = (tree: string): number =>
  Number(runTool(['du', '-sk', '--apparent-size', tree]).split('\t')[0])

/** As RFC 5322 writes a date, in UTC. */
const formatDate = (date: Date): string => date.toUTCString().replace('GMT', '+0000')
