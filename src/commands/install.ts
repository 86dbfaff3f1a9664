import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Ids } from '../core/ids.ts'
import { installFiles } from '../platform/db/install-files.ts'
import { DATABASE_FILE, type Db } from '../platform/db/open.ts'
import { type SecretName, secretSeals } from '../platform/db/seals.ts'
import { ensureSecret, readSecret } from '../platform/secret-file.ts'
import { CommandError } from './command.ts'

/**
 * Looks whether a data folder may be opened, before anything in it is opened or made.
 *
 * @param mayMake whether the command makes an install where there is none.
 * @throws CommandError where the database of an install is gone, or where there is no install and none may be made.
 */
export function checkFolder(dataDir: string, { mayMake }: { mayMake: boolean }): void {
  const { hasDatabase, others } = installFiles(dataDir)
  if (hasDatabase) return
  if (others.length > 0) {
    const left = others.join(' and ')
    throw new CommandError(
      `The data folder ${dataDir} has lost its database: ${DATABASE_FILE} is missing or empty beside ${left}.\n` +
        `Restore ${DATABASE_FILE} from a backup, or move ${left} elsewhere to begin anew.`,
    )
  }
  if (!mayMake) {
    throw new CommandError(
      `There is no install in ${dataDir}: "lookalike setup" makes one, --data-dir or DATA_DIR names another folder`,
    )
  }
}

const pathOf = (dataDir: string, name: SecretName): string => join(dataDir, 'secrets', name)

/** A secret of the install, made at its first use. */
const makeSecret = (dataDir: string, name: SecretName, ids: Ids): string =>
  ensureSecret(pathOf(dataDir, name), () => ({ secret: ids.secret(48), uniqueName: ids.uuid() }))

/** Shorter ones are not what this program makes or takes. */
const SECRET_CHARS_MIN = 32
const MISSING = 'is missing'
const UNREADABLE = 'cannot be read'

/** The secret in a file, or what is wrong with the file. */
function look(path: string): { secret: string } | { problem: string } {
  try {
    const secret = readSecret(path)
    if (secret === undefined) return { problem: MISSING }
    return secret.length < SECRET_CHARS_MIN ? { problem: 'is cut short' } : { secret }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return { problem: code === undefined ? 'is empty' : `${UNREADABLE} (${code})` }
  }
}

/**
 * The secret that seals what is stored; made in a new install.
 *
 * @throws CommandError when it is not the one that sealed what the database holds.
 */
export function dataSecretOf(db: Db, dataDir: string, ids: Ids): string {
  const path = pathOf(dataDir, 'data')
  const seals = secretSeals(db, ids)
  if (!seals.has('data')) {
    const found = look(path)
    // Where nothing is sealed yet, or was before there were seals, only a missing secret may be made.
    if ('problem' in found && (found.problem !== MISSING || seals.anySealed()))
      throw lost(path, found.problem)
    seals.add('data', 'secret' in found ? found.secret : makeSecret(dataDir, 'data', ids))
  }
  const found = look(path)
  if ('problem' in found) throw lost(path, found.problem)
  if (!seals.isSame('data', found.secret)) throw lost(path, 'is not the one of this install, or is damaged')
  return found.secret
}

function lost(path: string, problem: string): CommandError {
  const remedy = problem.startsWith(UNREADABLE)
    ? 'It may be whole: let this user read it.'
    : 'Restore it from a backup. Where there is none, "lookalike secret reset" makes a new one.'
  return new CommandError(
    `${path} ${problem}. It opens what the database keeps sealed: two-factor secrets, recovery codes, waiting mails.\n${remedy}`,
  )
}

/**
 * The secret that signs access tokens: the given one, or that of the install. Another one than at the last start only
 * ends all sign-ins, so it is told and taken.
 *
 * @throws CommandError when its file is damaged.
 */
export function tokenSecretOf(
  db: Db,
  dataDir: string,
  ids: Ids,
  given: string,
  log: Pick<Logger, 'warn'>,
): string {
  const seals = secretSeals(db, ids)
  const secret = given || ownTokenSecret(dataDir, ids)
  const isSame = seals.isSame('jwt', secret)
  if (isSame === false) log.warn('tokens are signed with another secret than before: all sign-ins have ended')
  if (!isSame) seals.replace('jwt', secret)
  return secret
}

function ownTokenSecret(dataDir: string, ids: Ids): string {
  const path = pathOf(dataDir, 'jwt')
  const found = look(path)
  if ('secret' in found) return found.secret
  if (found.problem === MISSING) return makeSecret(dataDir, 'jwt', ids)
  throw new CommandError(`${path} ${found.problem}. Delete it to get a new one: all sign-ins end then.`)
}

/**
 * Gives an install a new secret in the place of one that is lost. What was sealed with the old one stays closed.
 *
 * @returns e-mail addresses of those whose second factor is lost with it.
 * @throws CommandError when nothing is lost.
 */
export function resetDataSecret(db: Db, dataDir: string, ids: Ids): string[] {
  const path = pathOf(dataDir, 'data')
  const seals = secretSeals(db, ids)
  const found = look(path)
  if ('secret' in found && seals.isSame('data', found.secret) !== false)
    throw new CommandError(`${path} opens what the database keeps sealed: there is nothing to reset`)
  if ('problem' in found && found.problem.startsWith(UNREADABLE)) throw lost(path, found.problem)
  // Perhaps it belongs to another install, which still needs it.
  if (!('problem' in found && found.problem === MISSING)) renameSync(path, `${path}.before-${ids.uuid()}`)
  seals.replace('data', makeSecret(dataDir, 'data', ids))
  return seals.sealedPeople()
}
