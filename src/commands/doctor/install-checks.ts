import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS, HOUR_MS, isoTime } from '../../core/clock.ts'
import { FOLDERS, namePicture } from '../../platform/backup/contents.ts'
import { type Check, error, ok, warning } from './check.ts'
import type { Failing, InstallQueries } from './install-queries.ts'

/** Longer lists are cut. */
const NAMED_MAX = 3

/** From this age on, the last backup is too old where the service makes none by itself. */
const BACKUP_AGE_MS = 7 * DAY_MS

/** @param known the schema version of this program. */
export function checkSchema(queries: Pick<InstallQueries, 'schemaVersion'>, known: number): Check {
  const found = queries.schemaVersion()
  if (found > known) {
    return error(
      'database',
      `The database is of a newer program (schema ${found}, this one knows ${known})`,
      'Run the executable that served it last, or restore a backup of before the upgrade',
    )
  }
  return ok(
    'database',
    found === known
      ? `Its schema is ${found}`
      : `The next start migrates it from schema ${found} to ${known}`,
  )
}

/** Judges what a check of the whole file found. */
export function checkDamage(problems: readonly string[]): Check {
  const [first] = problems
  if (first === undefined) return ok('database', 'Every page of the database is sound')
  return error(
    'database',
    `The database is damaged: ${first}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`,
    'Stop the service, keep a copy of the folder, and restore the last backup',
  )
}

export function checkVectors(queries: Pick<InstallQueries, 'compareVectors'>): Check {
  const { pictures, missing, orphans } = queries.compareVectors()
  if (missing > 0) {
    return error(
      'vectors',
      `${missing} of ${pictures} pictures have no vector: no search finds them`,
      'Restore the last backup, or delete these products and send them again',
    )
  }
  if (orphans > 0) {
    return warning(
      'vectors',
      `${orphans} vectors belong to no picture`,
      'They cost space alone. If there are more each time, send this report to the makers',
    )
  }
  return ok('vectors', `All ${pictures} pictures have their vector`)
}

/** Looks for the file of each picture that the service keeps for its stores. */
export function checkPictures(queries: Pick<InstallQueries, 'listKeptPictures'>, dataDir: string): Check {
  const kept = queries.listKeptPictures()
  const missing = kept.filter((hash) => !existsSync(join(dataDir, namePicture(hash))))
  if (missing.length === 0) return ok('pictures', `Each of the ${kept.length} kept pictures has its file`)
  return error(
    'pictures',
    `${missing.length} of ${kept.length} kept pictures have no file in ${join(dataDir, FOLDERS.pictures)}`,
    'Put the folder back, or restore a backup that has them; otherwise send these products with their pictures again',
  )
}

export function checkWebhooks(queries: Pick<InstallQueries, 'listFailingWebhooks'>): Check {
  const failing = queries.listFailingWebhooks()
  if (failing.length === 0) return ok('webhooks', 'No webhook fails')
  return warning(
    'webhooks',
    `${failing.length === 1 ? 'A webhook fails' : `${failing.length} webhooks fail`}: ${name(failing, ({ since }) => (since === null ? '' : ` since ${isoTime(since)}`))}`,
    'Look at the answers under "Mail & hooks" in the portal, and ask whoever runs the receiver. Deliveries are kept and sent again',
  )
}

export function checkFeeds(queries: Pick<InstallQueries, 'listFailingFeeds'>): Check {
  const failing = queries.listFailingFeeds()
  if (failing.length === 0) return ok('feeds', 'No feed fails')
  return warning(
    'feeds',
    `${failing.length === 1 ? 'A feed fails' : `${failing.length} feeds fail`}: ${name(failing, ({ problem }) => (problem ? ` with ${problem}` : ''))}`,
    'Open the address in a browser, mend the file or the address in the store, and run the feed again',
  )
}

/**
 * @param everyHours between the backups that the service makes by itself; 0 for none.
 * @param now Unix ms.
 * @returns undefined for a database of a program that made no backups.
 */
export function checkBackups(
  queries: Pick<InstallQueries, 'readBackups'>,
  everyHours: number,
  now: number,
): Check | undefined {
  const name = 'backup'
  const facts = queries.readBackups()
  if (!facts) return undefined
  const { lastGoodAt, failure, beganAt } = facts
  const cure =
    everyHours === 0
      ? 'Set BACKUP_EVERY_H, or run "lookalike backup" from time to time'
      : 'Run "lookalike backup" and read what it says'
  const reason = failure === null ? '' : `; the newest one failed: ${failure}`
  const ageMax = everyHours === 0 ? BACKUP_AGE_MS : 2 * everyHours * HOUR_MS + HOUR_MS
  const isLate = now - (lastGoodAt ?? beganAt ?? now) > ageMax
  const text =
    lastGoodAt === null
      ? 'There is no backup that counts'
      : `The last backup that counts is of ${isoTime(lastGoodAt)}`
  return isLate || failure !== null ? warning(name, text + reason, cure) : ok(name, text)
}

/**
 * @param to by `BACKUP_TO`; empty where nobody wants copies.
 * @param hasKey whether there is a key to encrypt them to.
 */
export function checkCopies(
  queries: Pick<InstallQueries, 'readCopies'>,
  to: string,
  hasKey: boolean,
): Check | undefined {
  const name = 'copies'
  if (to === '') return undefined
  if (!hasKey)
    return warning(
      name,
      'Backups are not copied to BACKUP_TO: there is no key to encrypt them with',
      'Run "lookalike backup key", and keep what it prints away from this machine',
    )
  const { lastCopiedAt, failure } = queries.readCopies()
  const text =
    lastCopiedAt === null
      ? 'No backup has a copy elsewhere yet'
      : `The newest backup with a copy elsewhere is of ${isoTime(lastCopiedAt)}`
  return failure === null
    ? ok(name, text)
    : warning(
        name,
        `${text}; the newest copy failed: ${failure.replace(/\.$/, '')}`,
        'Correct what it says. The service tries again by itself; "lookalike backup" tries at once',
      )
}

/** Names the first few, with the host alone: addresses may hold keys. */
function name<Item extends Failing>(failing: readonly Item[], more: (item: Item) => string): string {
  const named = failing.slice(0, NAMED_MAX).map((item) => `${item.slug}: ${hostOf(item.url)}${more(item)}`)
  return named.join(', ') + (failing.length > NAMED_MAX ? ' and others' : '')
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'a wrong address')
