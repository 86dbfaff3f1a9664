import { existsSync, realpathSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { OperatorError, wrongInput } from '../core/operator-error.ts'
import { findInstallFiles } from '../platform/db/install-files.ts'
import { tryLockUpgrade } from '../platform/db/instance-lock.ts'
import { readSchema } from '../platform/db/read-only.ts'
import { releaseKey } from '../version.ts'
import type { Call, Command } from './cli/command.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { NoInstall } from './service/data-folder.ts'
import { createMachine } from './systemd/host.ts'
import { DEBIAN_PACKAGE, SYSTEM_PLACES, userPlaces } from './systemd/places.ts'
import { nextTo, takeCandidate } from './upgrade/candidate.ts'
import { type Build, makeBackup, readBuild, type Surroundings, tryOnEmptyFolder } from './upgrade/program.ts'
import { replaceProgram } from './upgrade/replace.ts'
import { findSite, type Site } from './upgrade/site.ts'
import { findTrustProblems, readExpected } from './upgrade/trust.ts'

const READY_S = 120

/** `lookalike upgrade`. */
export const upgrade: Command = {
  name: 'upgrade',
  summary:
    'put another version in the place of the installed one, and go back by itself if that does not become ready',
  positionals: ['FILE'],
  options: [
    {
      flag: 'sums',
      value: 'PATH',
      meaning: 'the SHA256SUMS of the release, with SHA256SUMS.minisig beside it; default: those beside FILE',
    },
    {
      flag: 'sha256',
      value: 'HASH',
      meaning:
        'SHA-256 of FILE, 64 hex digits; required where no release key is inside the program, and with --unsigned',
    },
    { flag: 'unsigned', meaning: 'take a build of your own, which nobody has signed' },
    { flag: 'allow-older', meaning: 'take a version that is older than the installed one' },
    { flag: 'no-backup', meaning: 'make no backup first' },
    {
      flag: 'ready-s',
      value: 'N',
      meaning: `seconds in which the new version must become ready; default: ${READY_S}. A migration does not count`,
    },
    { flag: 'user', meaning: 'the service of your own, which "service install --user" has set up' },
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'TLS_CERT', 'TLS_KEY', 'DOMAIN'],
  essentials: ['DATA_DIR'],
  example: 'sudo lookalike upgrade ./lookalike-0.2.0-linux-x64',
  findProblems: ({ sha256, sums, unsigned, 'ready-s': seconds }) => [
    ...findTrustProblems({ sha256, sums, isUnsigned: unsigned !== undefined }, releaseKey),
    ...(seconds === undefined || /^[1-9]\d{0,3}$/.test(seconds)
      ? []
      : ['--ready-s must be a whole number from 1 to 9999']),
  ],
  async run(call) {
    const dataDir = resolve(call.config.DATA_DIR)
    if (!findInstallFiles(dataDir).hasDatabase)
      throw new NoInstall(
        `There is no install in ${dataDir}, so there is nothing to upgrade: run the new version instead of the old one, or name another folder with --data-dir.`,
      )
    const around: Surroundings = { dataDir, env: call.env, stop: createStopSignal() }
    const isOfUser = call.options['user'] !== undefined
    const places = isOfUser ? userPlaces(call.env) : SYSTEM_PLACES
    const site = findSite(places && { isOfUser, places }, call.config, createMachine(call.env), around)
    demandNoPackage(site.installed)
    const unlock = tryLockUpgrade(dirname(site.installed))
    if (!unlock) throw new OperatorError(`Another upgrade of ${site.installed} is under way.`)
    try {
      return await upgradeSite(site, around, call)
    } finally {
      rmSync(nextTo(site.installed).candidate, { force: true })
      unlock()
    }
  },
}

async function upgradeSite(
  site: Site,
  around: Surroundings,
  { options, positionals }: Call,
): Promise<number> {
  const file = resolve(positionals[0] ?? '')
  const { installed } = site
  if (existsSync(file) && realpathSync(file) === installed)
    throw wrongInput(`${file} is the installed program itself: name the file of the new version.`)
  const limitMs = Number(options['ready-s'] ?? READY_S) * 1000
  const expected = readExpected(file, {
    ...{ sha256: options['sha256'], sums: options['sums'] },
    isUnsigned: options['unsigned'] !== undefined,
  })
  await takeCandidate(file, installed, expected)
  const { candidate } = nextTo(installed)
  const [old, next] = [await readBuild(installed, around), await readBuild(candidate, around)]
  demandNewer(old, next, options['allow-older'] !== undefined)
  say(`Trying ${describe(next)} in an empty folder`)
  const { schema } = await tryOnEmptyFolder(candidate, around, limitMs).catch((error: Error) => {
    throw new OperatorError(
      `The new version does not work on this machine: ${error.message}. Nothing was changed.`,
    )
  })
  demandKnownSchema(around.dataDir, schema)
  if (options['no-backup'] === undefined) {
    say('Making a backup')
    const made = await makeBackup(installed, around).catch((error: Error) => {
      throw new OperatorError(
        `No backup could be made, so nothing was changed: ${error.message}\nWith a backup of your own, --no-backup goes on without.`,
      )
    })
    say(`The backup is ${made}`)
  }
  if (around.stop.aborted) throw new OperatorError('Stopped. Nothing was changed.')
  say(`Replacing ${describe(old)}`)
  await replaceProgram(site, around, limitMs)
  console.log(
    `Upgraded from ${describe(old)} to ${describe(next)}. ${site.isManaged ? 'The service runs.' : 'It was started on the data folder, became ready and was stopped again: start the service.'}\nThe old program is kept in ${nextTo(installed).previous}.`,
  )
  return 0
}

/** What dpkg has put there, dpkg replaces. */
function demandNoPackage(installed: string): void {
  if (installed !== DEBIAN_PACKAGE.executable || !existsSync(DEBIAN_PACKAGE.list)) return
  throw new OperatorError(
    `${installed} belongs to a package of this system: make a backup (lookalike backup), download the new lookalike_….deb and run "sudo apt-get install ./lookalike_….deb". Nothing was changed.`,
  )
}

function demandNewer(old: Build, next: Build, mayBeOlder: boolean): void {
  const order = Bun.semver.order(next.version, old.version) || compareDates(next.date, old.date)
  if (order >= 0 || mayBeOlder) return
  throw new OperatorError(
    `${describe(next)} is older than ${describe(old)}, which is installed. Nothing was changed: give --allow-older to install it anyway.`,
  )
}

/** `unknown` outside a checkout. */
const compareDates = (one: string, other: string): number =>
  [one, other].some((date) => !/^\d{4}-/.test(date)) ? 0 : one.localeCompare(other, 'en')

function demandKnownSchema(dataDir: string, schema: number): void {
  const present = readSchema(dataDir)
  if (present <= schema) return
  throw new OperatorError(
    `The database has schema ${present}, but that version only knows schema ${schema}. Nothing was changed: to go back to it, stop the service, put the program in place yourself and run "lookalike serve --from-snapshot".`,
  )
}

const describe = ({ version, commit, date }: Build): string => `${version} (${commit.slice(0, 8)} of ${date})`

const say = (text: string): void => console.error(`${text} …`)
