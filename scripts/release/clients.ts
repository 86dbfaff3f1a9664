import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Release, ReleaseError, runTool } from './demands.ts'
import type { Package } from './packages.ts'
import { packTar } from './tar.ts'

/** Bytes with gzip that the client of TypeScript may have. */
const CLIENT_BYTES_MAX = 8 * 1024

/** Makes the three clients. @throws ReleaseError for one above its budget. */
export async function makeClients(release: Release): Promise<Package[]> {
  const { root, folder, version } = release
  const clients = join(root, 'scripts/clients')
  const python = readFileSync(join(clients, 'python/lookalike.py'), 'utf8')
  writeFileSync(
    join(folder, 'lookalike.py'),
    python.replace(/^__version__ = .*/m, `__version__ = "${version}"`),
  )
  cpSync(join(clients, 'php/Lookalike.php'), join(folder, 'Lookalike.php'))
  return [
    {
      name: await packTypeScript(release),
      meaning: 'client for TypeScript and JavaScript, a package for npm',
    },
    { name: 'Lookalike.php', meaning: 'client for PHP, one file' },
    { name: 'lookalike.py', meaning: 'client for Python, one file' },
  ]
}

/** @returns the name of the package. */
async function packTypeScript({ root, folder, version, commit }: Release): Promise<string> {
  const source = join(root, 'scripts/clients/typescript')
  const types = join(root, 'dist/clients-types')
  rmSync(types, { recursive: true, force: true })
  runTool([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', source])
  const built = await Bun.build({ entrypoints: [join(source, 'index.ts')], target: 'browser', format: 'esm' })
  const [output] = built.outputs
  if (!built.success || !output) throw new AggregateError(built.logs, 'The client failed to bundle')
  const script = await output.text()
  const bytes = gzipSync(script, { level: 9 }).length
  if (bytes > CLIENT_BYTES_MAX) throw new ReleaseError(`The client has ${bytes} bytes with gzip`)
  const manifest = JSON.parse(readFileSync(join(source, 'manifest.json'), 'utf8')) as object
  // The declarations name the types of the API as our sources do.
  const declarations = readFileSync(join(types, 'scripts/clients/typescript/index.d.ts'), 'utf8')
  const files = {
    'package.json': `${JSON.stringify({ ...manifest, version }, null, 2)}\n`,
    'index.js': script,
    'index.d.ts': declarations.replaceAll('#generated/api.ts', './api.js'),
    'api.d.ts': readFileSync(join(types, 'dist/generated/api.d.ts'), 'utf8'),
    'README.md': readFileSync(join(source, 'README.md'), 'utf8').replaceAll('VERSION', version),
    LICENSE: readFileSync(join(root, 'LICENSE'), 'utf8'),
  }
  const name = `lookalike-client-${version}.tgz`
  writeFileSync(join(folder, name), await packTar('package', files, new Date(`${commit.date}T00:00:00Z`)))
  rmSync(types, { recursive: true })
  console.log(`${name}  ${bytes} bytes of code with gzip`)
  return name
}
