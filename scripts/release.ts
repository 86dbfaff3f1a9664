/**
 * Makes everything that people may download of a version in `dist/release/`: `bun scripts/release.ts VERSION --key FILE`.
 *
 * FILE is a secret key of minisign, with its public half beside it (`minisign -G -s FILE -p FILE.pub`); the public half goes into the
 * executables. Options: `--url URL` lets `install.sh` know where the folder will be served, `--targets linux-x64,…` makes executables of these
 * alone, `--out DIR` names the folder. It refuses an unclean
 * checkout, a version that the package or the changelog does not know, and an executable that fails its smoke test.
 * It needs Debian's `minisign`, `binutils` and `dpkg`.
 */
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readPublicKey } from './build/release-key.ts'
import { TargetError } from './build/targets.ts'
import { generateAll } from './generate/index.ts'
import { writeBill } from './release/bill.ts'
import { readChanges } from './release/changes.ts'
import { makeClients } from './release/clients.ts'
import { demandReleasable, emptyFolder, ReleaseError } from './release/demands.ts'
import { makeDocuments } from './release/documents.ts'
import { makeExecutables } from './release/executables.ts'
import { writeNotes } from './release/notes.ts'
import { makePackages } from './release/packages.ts'
import { signRelease } from './release/sign.ts'

const root = resolve(import.meta.dir, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    key: { type: 'string' },
    targets: { type: 'string', default: 'linux-x64,linux-arm64,darwin-arm64' },
    url: { type: 'string' },
    out: { type: 'string', default: join(root, 'dist/release') },
  },
})

try {
  const [version] = positionals
  if (version === undefined || values.key === undefined)
    throw new ReleaseError('Name the version and the key: bun scripts/release.ts 0.2.0 --key release.key')
  const keys = { secret: resolve(values.key), public: `${resolve(values.key)}.pub` }
  const folder = resolve(values.out)
  const commit = demandReleasable(root, version, keys)
  const changes = readChanges(root, version)
  emptyFolder(folder)
  await generateAll()
  const release = {
    root,
    folder,
    version,
    commit,
    changes,
    key: readPublicKey(keys.public),
    url: readUrl(values.url),
  }
  const executables = await makeExecutables(release, values.targets.split(','))
  for (const executable of executables) await writeBill(release, executable)
  const packages = [...makePackages(release, executables), ...(await makeClients(release))]
  await makeDocuments(release)
  await writeNotes(release, executables, packages)
  await signRelease(release, keys)
  console.log(
    `${relative(process.cwd(), folder)} is complete. Tag the commit: git tag -s v${version} ${commit.hash}`,
  )
} catch (error) {
  // What the maintainer can mend needs no stack trace; any other error does.
  if (!(error instanceof ReleaseError || error instanceof TargetError)) throw error
  console.error(error.message)
  process.exit(1)
}

/** @throws ReleaseError for an address that `install.sh` would refuse. */
function readUrl(url: string | undefined): string | undefined {
  if (url === undefined || /^https:\/\/[\w.:/~-]+$/.test(url)) return url?.replace(/\/$/, '')
  throw new ReleaseError(`${url} is no address with https`)
}
