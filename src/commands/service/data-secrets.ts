import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Ids } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { Db } from '../../platform/db/open.ts'
import { createSecretSeals, type SecretName } from '../../platform/db/seals.ts'
import { ensureSecret, readSecret } from '../../platform/secret-file.ts'

const buildSecretPath = (dataDir: string, name: SecretName): string => join(dataDir, 'secrets', name)

/** Returns a secret of the install; creates it on first use. */
export const ensureInstallSecret = (dataDir: string, name: SecretName, ids: Ids): string =>
  ensureSecret(buildSecretPath(dataDir, name), () => ({ secret: ids.secret(48), uniqueName: ids.uuid() }))

/** Shorter secrets are neither created nor accepted. */
const SECRET_CHARS_MIN = 32
const MISSING = 'is missing'
const UNREADABLE = 'cannot be read'

/** Reads the secret in a file, or describes the problem with the file. */
function inspectSecret(path: string): { secret: string } | { problem: string } {
  try {
    const secret = readSecret(path)
    if (secret === undefined) return { problem: MISSING }
    return secret.length < SECRET_CHARS_MIN ? { problem: 'is truncated' } : { secret }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return { problem: code === undefined ? 'is empty' : `${UNREADABLE} (${code})` }
  }
}

/**
 * Loads the secret that encrypts stored values; creates it in a new install.
 *
 * @throws OperatorError if it is not the secret that encrypted the values in the database.
 */
export function loadDataSecret(db: Db, dataDir: string, ids: Ids): string {
  const path = buildSecretPath(dataDir, 'data')
  const seals = createSecretSeals(db, ids)
  if (!seals.has('data')) {
    const found = inspectSecret(path)
    // A secret may be created only if it is missing and nothing has been sealed, not even before seals existed.
    if ('problem' in found && (found.problem !== MISSING || seals.anySealed()))
      throw explainLostSecret(path, found.problem)
    seals.add('data', 'secret' in found ? found.secret : ensureInstallSecret(dataDir, 'data', ids))
  }
  const found = inspectSecret(path)
  if ('problem' in found) throw explainLostSecret(path, found.problem)
  if (!seals.isSame('data', found.secret))
    throw explainLostSecret(path, 'does not belong to this install, or is damaged')
  return found.secret
}

function explainLostSecret(path: string, problem: string): OperatorError {
  const remedy = problem.startsWith(UNREADABLE)
    ? 'The file may be intact: give this user permission to read it.'
    : 'Restore it from a backup. Without a backup, "lookalike secret reset" creates a new one.'
  return new OperatorError(
    `${path} ${problem}. It decrypts values in the database: two-factor secrets, recovery codes, waiting mails.\n${remedy}`,
  )
}

/**
 * Says why a service would refuse the secrets of an install; nothing where it would not. Changes nothing.
 *
 * @param db may be opened for reading alone.
 * @param given the secret of the settings that signs tokens, if any: the file is not read then.
 */
export function findSecretFault(db: Db, dataDir: string, ids: Ids, given: string): OperatorError | undefined {
  const seals = createSecretSeals(db, ids)
  const path = buildSecretPath(dataDir, 'data')
  const found = inspectSecret(path)
  if ('secret' in found) {
    if (seals.isSame('data', found.secret) === false)
      return explainLostSecret(path, 'does not belong to this install, or is damaged')
  } else if (found.problem !== MISSING || seals.has('data') || seals.anySealed())
    return explainLostSecret(path, found.problem)
  if (given) return undefined
  const tokenPath = buildSecretPath(dataDir, 'jwt')
  const own = inspectSecret(tokenPath)
  return 'problem' in own && own.problem !== MISSING ? explainLostToken(tokenPath, own.problem) : undefined
}

const explainLostToken = (path: string, problem: string): OperatorError =>
  new OperatorError(`${path} ${problem}. Delete it to get a new one; this ends all sign-ins.`)

/**
 * Loads the secret that signs access tokens: the given one, or that of the install. A secret that differs from the one
 * at the last start is accepted with a warning, because it only ends all sign-ins.
 *
 * @throws OperatorError if its file is damaged.
 */
export function loadTokenSecret(
  db: Db,
  dataDir: string,
  ids: Ids,
  given: string,
  log: Pick<Logger, 'warn'>,
): string {
  const seals = createSecretSeals(db, ids)
  const secret = given || loadOwnTokenSecret(dataDir, ids)
  const isSame = seals.isSame('jwt', secret)
  if (isSame === false)
    log.warn('tokens are signed with a different secret than before: all sign-ins have ended')
  if (!isSame) seals.replace('jwt', secret)
  return secret
}

/**
 * Reads the secret that the service of a data folder signs access tokens with. Changes nothing.
 *
 * @param given that of the settings, if any.
 * @throws OperatorError if there is none, or if the service uses another.
 */
export function readTokenSecret(db: Db, dataDir: string, ids: Ids, given: string): string {
  const path = buildSecretPath(dataDir, 'jwt')
  const found = given ? { secret: given } : inspectSecret(path)
  if ('problem' in found) throw new OperatorError(`${path} ${found.problem}. Start the service once.`)
  if (createSecretSeals(db, ids).isSame('jwt', found.secret) === false) {
    throw new OperatorError(
      'The service signs its tokens with another secret. Give this command the same JWT_SECRET, or none if the service has none.',
    )
  }
  return found.secret
}

function loadOwnTokenSecret(dataDir: string, ids: Ids): string {
  const path = buildSecretPath(dataDir, 'jwt')
  const found = inspectSecret(path)
  if ('secret' in found) return found.secret
  if (found.problem === MISSING) return ensureInstallSecret(dataDir, 'jwt', ids)
  throw explainLostToken(path, found.problem)
}

/**
 * Replaces the lost secret of an install. Values encrypted with the old secret can no longer be decrypted.
 *
 * @returns e-mail addresses of the people whose second factor is lost.
 * @throws OperatorError if the secret is not lost.
 */
export function resetDataSecret(db: Db, dataDir: string, ids: Ids): string[] {
  const path = buildSecretPath(dataDir, 'data')
  const seals = createSecretSeals(db, ids)
  const found = inspectSecret(path)
  if ('secret' in found && seals.isSame('data', found.secret) !== false)
    throw new OperatorError(`${path} decrypts the values in the database: there is nothing to reset`)
  if ('problem' in found && found.problem.startsWith(UNREADABLE)) throw explainLostSecret(path, found.problem)
  // It may belong to another install, which still needs it.
  if (!('problem' in found && found.problem === MISSING)) renameSync(path, `${path}.before-${ids.uuid()}`)
  seals.replace('data', ensureInstallSecret(dataDir, 'data', ids))
  return seals.sealedPeople()
}
