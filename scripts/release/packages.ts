import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import type { Target } from '../build/targets.ts'
import { makeDebs } from './deb.ts'
import type { Release } from './demands.ts'
import type { Executable } from './executables.ts'

/** A file of the release that installs executables, or runs them elsewhere. */
export interface Package {
  name: string
  /** For the table of the notes. */
  meaning: string
}

/** Makes everything that brings an executable to a machine: packages of Debian, the installing script, files for containers. */
export function makePackages(release: Release, executables: readonly Executable[]): Package[] {
  return [
    ...makeDebs(release, executables),
    makeInstallScript(release, executables),
    makeContainer(release),
    makeWooCommercePlugin(release),
    makeShopifyFiles(release),
  ]
}

function makeInstallScript(release: Release, executables: readonly Executable[]): Package {
  const script = readFileSync(join(release.root, 'scripts/release/files/install.sh'), 'utf8')
  writeFileSync(join(release.folder, 'install.sh'), fillInstallScript(script, release, executables), {
    mode: 0o755,
  })
  return {
    name: 'install.sh',
    meaning: 'downloads the executable for a machine, checks it and puts it in place',
  }
}

/** Lets `install.sh` know the version, the key, where the files will be, and what the executables need. */
export function fillInstallScript(
  script: string,
  { version, key, url }: Pick<Release, 'version' | 'key' | 'url'>,
  executables: readonly { target: Pick<Target, 'name' | 'os'>; glibc: string | undefined }[],
): string {
  const values: Readonly<Record<string, string>> = {
    VERSION: version,
    KEY: key,
    URL: url ?? '',
    GLIBC: executables.find(({ target }) => target.os === 'linux')?.glibc ?? '',
    TARGETS: executables.map(({ target }) => target.name).join(' '),
  }
  return script.replace(/@([A-Z]+)@/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`install.sh has a place that nothing fills: ${name}`)
    return value
  })
}

/** Packs the plugin of WooCommerce as WordPress takes it. */
const makeWooCommercePlugin = (release: Release): Package => ({
  name: packPlugin(release, 'woocommerce', 'lookalike'),
  meaning: 'plugin for WooCommerce, to upload in WordPress',
})

const makeShopifyFiles = (release: Release): Package => ({
  name: packPlugin(release, 'shopify', 'lookalike-shopify'),
  meaning: 'files for a Shopify theme, with the steps in README.md',
})

/** Packs a folder of `scripts/plugins` as one folder of a zip. The same commit gives the same bytes. @returns the name of the file. */
function packPlugin({ root, folder, version, commit }: Release, shop: string, folderInside: string): string {
  const source = join(root, 'scripts/plugins', shop)
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  )
  const files = names.toSorted().map((name) => {
    const text = readFileSync(join(source, name), 'utf8').replaceAll('@VERSION@', version)
    return [`${folderInside}/${name}`, strToU8(text)] as const
  })
  const name = `lookalike-${shop}-${version}.zip`
  // The date of a zip has no zone: noon is the same day everywhere.
  writeFileSync(
    join(folder, name),
    zipSync(Object.fromEntries(files), { level: 9, mtime: `${commit.date}T12:00:00` }),
  )
  return name
}

function makeContainer({ root, folder, version }: Release): Package {
  const target = join(folder, 'container')
  mkdirSync(join(target, 'data'), { recursive: true })
  writeFileSync(join(target, 'data/.keep'), '')
  for (const name of ['Dockerfile', 'compose.yaml', 'Caddyfile']) {
    const text = readFileSync(join(root, 'scripts/release/container', name), 'utf8')
    writeFileSync(join(target, name), text.replaceAll('@VERSION@', version))
  }
  return { name: 'container/', meaning: 'a Dockerfile and a compose file, with Caddy in front' }
}
