import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { systemClock as clock } from '../../core/clock.ts'
import { systemIds as ids } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { findInstallFiles } from '../../platform/db/install-files.ts'
import { type Db, readVersion } from '../../platform/db/open.ts'
import { createSecretSeals } from '../../platform/db/seals.ts'
import type { Lease } from '../../platform/lease/lease.ts'
import { type Copying, SYNC_PACE, startCopying, USUAL_PACE } from '../../platform/litestream/copying.ts'
import { nameEpoch } from '../../platform/litestream/epochs.ts'
import { type CopyPlace, openCopyPlace } from '../../platform/litestream/place.ts'
import { findLitestream } from '../../platform/litestream/program.ts'
import { setDatabaseAside } from '../../platform/litestream/set-aside.ts'
import { unpackApart } from '../../platform/native/unpack-apart.ts'
import { copyPictures } from '../../platform/pictures/copied.ts'
import { createPictureFiles, type PictureFiles } from '../../platform/pictures/kept.ts'
import { readSecret } from '../../platform/secret-file.ts'
import { parseNetworks } from '../service/open-ports.ts'
import { partsOf } from '../service/parts.ts'
import { type WarmModel, warmModel } from '../service/start-model.ts'
import { openNodeLease } from './node-lease.ts'
import { type StandbyState, waitAndTakeOver } from './waiting.ts'

/** While the copy is further behind, the answers to writes wait for it: so much may be lost, whatever fails. */
const LOSS_MS_MAX = 1_000
/** While it is further behind, writes are not begun. */
const LAG_MS_MAX = 10_000

export interface RoleDeps {
  config: Config
  dataDir: string
  log: Logger
  stop: AbortSignal
  /** Tells those who ask whether the node is ready. */
  tell(state: StandbyState): void
}

/** A node that owns its install, and copies it. */
export interface OwnerRole {
  epoch: number
  /** The model that waited with the standby. */
  warm: WarmModel | undefined
  /** Begins to copy the database, which this process has opened. */
  begin(db: Pick<Db, 'pragma'>): void
  /** The picture files of the service, which are copied from now on. */
  copyFiles(files: PictureFiles): PictureFiles
  /** Whether the answer to a write may be given. */
  mayAcknowledge(): boolean
  /**
   * Waits until what was committed lies in the bucket: with `SYNC_COPIES` each time, otherwise when the copy is behind.
   *
   * @returns whether this node owned it then; undefined when there is nothing to wait for.
   */
  waitUntilCopied(): Promise<boolean> | undefined
  /** Resolves when another node owns the install. */
  lost: Promise<void>
  /** What the doctor and the metrics tell. */
  readState(): OwnerState
  /** Sends what is left, and gives the lease no more signs of life. */
  close(): Promise<void>
}

export interface OwnerState {
  epoch: number
  lagMs: number
  fault: string | undefined
  picturesWaiting: number
  mayAcknowledge: boolean
}

/**
 * Finds out what this node is: the owner of its install, or a standby until the owner fails.
 *
 * @returns undefined if the program is to stop before it owns anything.
 * @throws OperatorError in one sentence, such as for a store without conditional writes.
 */
export async function takeRole(deps: RoleDeps): Promise<OwnerRole | undefined> {
  const { config, dataDir, log, stop } = deps
  const program = await findLitestream(config.LITESTREAM)
  // Ends with the role, and not with the stop: the last changes are sent after it.
  const end = new AbortController()
  const place = openCopyPlace(
    config.COPIES_TO || config.STANDBY,
    config,
    parseNetworks(config, 'FETCH_ALLOW_CIDRS'),
    end.signal,
  )
  const lease = await openNodeLease(place, { dataDir, log })
  const hasDatabase = findInstallFiles(dataDir).hasDatabase
  // A lease of the same name in another place is watched for 15 s.
  const claim = await Promise.race([lease.claim(config.COPIES_TO !== ''), whenAborted(stop)])
  if (claim === undefined) {
    end.abort()
    return undefined
  }
  if (claim.isOwner) return own(deps, { program, place, lease, end, warm: undefined })
  if (hasDatabase) giveWay(dataDir, claim, place, log)
  // Warm before they are needed.
  await unpackApart(partsOf(config))
  const warm = warmModel(config, log)
  if (await waitForTurn(deps, { program, place, lease }))
    return own(deps, { program, place, lease, end, warm })
  await warm.embedder.close()
  end.abort()
  return undefined
}

const whenAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

/** @throws OperatorError if nobody has taken over: then the database is the only one. */
function giveWay(
  dataDir: string,
  claim: { isThere: boolean; epoch: number },
  place: CopyPlace,
  log: Logger,
): void {
  if (!claim.isThere) {
    throw new OperatorError(
      `There is a database in ${dataDir}, and nobody owns the copies in ${place.name}: start this node with COPIES_TO=${place.name} if its database is the right one, or move it elsewhere.`,
    )
  }
  const aside = setDatabaseAside(dataDir, clock.now())
  if (!aside) return
  log.warn(
    { folder: aside.folder, epoch: claim.epoch, written_at: new Date(aside.writtenAt).toISOString() },
    'another node owns this install: the database was set aside, and this node goes on as a standby; the last second or two of what was written here, before that time, may lie there alone',
  )
}

async function waitForTurn(
  { dataDir, log, stop, tell }: RoleDeps,
  parts: { program: string; place: CopyPlace; lease: Lease },
): Promise<boolean> {
  log.info({ copies: parts.place.name }, 'this node is a standby')
  return waitAndTakeOver({
    ...parts,
    ...{ dataDir, clock, log, stop, tell },
    files: createPictureFiles(join(dataDir, 'pictures'), ids.uuid),
    check: (path) => checkCopy(path, dataDir),
    findObstacle: () => findObstacle(dataDir),
  })
}

const secretPath = (dataDir: string): string => join(dataDir, 'secrets', 'data')

const findObstacle = (dataDir: string): string | undefined =>
  existsSync(secretPath(dataDir))
    ? undefined
    : `The secrets of the owner are not here, and never lie in the bucket: copy the folder "secrets" of its data folder to ${dataDir}`

/** @throws OperatorError */
function checkCopy(path: string, dataDir: string): void {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    // A newer program has written it.
    readVersion(db)
    const secret = readSecret(secretPath(dataDir))
    if (secret === undefined || createSecretSeals(db, ids).isSame('data', secret) === false) {
      throw new OperatorError(
        `${secretPath(dataDir)} is not the secret of the install in the copy: copy the folder "secrets" of the owner's data folder to ${dataDir}.`,
      )
    }
  } finally {
    db.close()
  }
}

interface OwnerParts {
  program: string
  place: CopyPlace
  lease: Lease
  /** Ends requests to the store. */
  end: AbortController
  warm: WarmModel | undefined
}

function own(
  { config, dataDir, log }: RoleDeps,
  { program, place, lease, end, warm }: OwnerParts,
): OwnerRole {
  const { promise: lost, resolve: tellLost } = Promise.withResolvers<void>()
  let copying: Copying | undefined
  let isWhole = false
  let countWaiting = (): number => 0
  lease.onLost(() => {
    copying?.kill()
    log.error({ epoch: lease.epoch }, 'another node owns this install now')
    tellLost()
  })
  lease.start()
  const mayAcknowledge = (): boolean =>
    lease.mayAcknowledge() && isWhole && copying !== undefined && copying.readLagMs() < LAG_MS_MAX

  function waitUntilCopied(): Promise<boolean> | undefined {
    if (!copying) return undefined
    // A copy that came after a takeover is read by nobody, so the lease is looked at once more.
    if (config.SYNC_COPIES) return copying.waitUntilSent().then(lease.confirm)
    return copying.readLagMs() > LOSS_MS_MAX ? copying.waitUntilSent().then(lease.mayAcknowledge) : undefined
  }

  return {
    epoch: lease.epoch,
    warm,
    lost,
    mayAcknowledge,
    begin(db) {
      // Litestream brings the log into the database, or it would lose its place in it.
      db.pragma('wal_autocheckpoint = 0')
      const started = startCopying({
        ...{ program, dataDir, clock, log },
        address: { bucket: place.bucket, path: nameEpoch(place.prefix, lease.epoch) },
        pace: config.SYNC_COPIES ? SYNC_PACE : USUAL_PACE,
      })
      copying = started
      void started.waitUntilSent().then(() => {
        isWhole = true
      })
    },
    copyFiles(files) {
      const copied = copyPictures({
        ...{ files, log, stop: end.signal },
        dir: join(dataDir, 'pictures'),
        objects: place.pictures,
        prefix: join(place.prefix, 'pictures'),
      })
      countWaiting = copied.countWaiting
      return copied.files
    },
    waitUntilCopied,
    readState: () => ({
      epoch: lease.epoch,
      lagMs: copying?.readLagMs() ?? Number.POSITIVE_INFINITY,
      fault: copying?.readFault(),
      picturesWaiting: countWaiting(),
      mayAcknowledge: mayAcknowledge(),
    }),
    async close() {
      await copying?.stop()
      lease.stop()
      end.abort()
    },
  }
}
