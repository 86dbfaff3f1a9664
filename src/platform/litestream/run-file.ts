import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '../db/open.ts'
import { certificateEnvironment } from '../native/own-command.ts'
import { replaceFile } from '../replace-file.ts'

/** The bucket that copies go to, and the key for it. */
export interface CopyBucket {
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
}

/** Where one copy lies in the bucket. */
export interface CopyAddress {
  bucket: CopyBucket
  /** Without slashes at its ends, such as `prefix/epoch-3/db`. */
  path: string
}

/** How the database is copied while it is written. */
export interface CopyPace {
  /** How often new pages are looked for, in ms. */
  lookMs: number
  /** How often what was found is sent, in ms; each time is one request that the store may charge for. */
  sendMs: number
}

/** The folder of the data folder with what Litestream needs while it runs. */
export const WORK_FOLDER = 'work'

const HOUR_MS = 3_600_000

/** How often the whole database is sent anew. A restore plays back what was written since then. */
const SNAPSHOT_MS = 4 * HOUR_MS
/** How long pages stay in the bucket that no newer copy needs. */
const KEEP_MS = 12 * HOUR_MS

/** A log of this many pages goes into the database. SQLite's own limit is the same. */
const CHECKPOINT_PAGES = 1_000

const inMs = (ms: number): string => `${ms}ms`

/**
 * Formats the settings of Litestream. JSON is YAML. There is no secret in them: the key of the bucket comes by the environment.
 *
 * @param dataDir absolute.
 */
export function formatRunFile(dataDir: string, { bucket, path }: CopyAddress, pace?: CopyPace): string {
  const replica = {
    ...{ type: 's3', name: 'bucket', bucket: bucket.bucket, path, region: bucket.region },
    ...{ endpoint: bucket.endpoint, 'force-path-style': true },
    ...(pace && {
      'sync-interval': inMs(pace.sendMs),
      'snapshot-interval': inMs(SNAPSHOT_MS),
      retention: inMs(KEEP_MS),
      'retention-check-interval': inMs(HOUR_MS),
    }),
  }
  const db = {
    path: join(dataDir, DATABASE_FILE),
    'meta-path': join(dataDir, WORK_FOLDER, 'litestream'),
    ...(pace && { 'monitor-interval': inMs(pace.lookMs), 'min-checkpoint-page-count': CHECKPOINT_PAGES }),
    replicas: [replica],
  }
  const logging = { level: 'info', type: 'json', stderr: true }
  return `${JSON.stringify({ logging, dbs: [db] }, undefined, 2)}\n`
}

/** Writes the settings for one run. @param name tells apart what may run at a time. @returns its path. */
export function writeRunFile(
  dataDir: string,
  name: 'copy' | 'restore',
  address: CopyAddress,
  pace?: CopyPace,
): string {
  const folder = join(dataDir, WORK_FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const path = join(folder, `litestream-${name}.yml`)
  replaceFile(path, formatRunFile(dataDir, address, pace), 0o600)
  return path
}

/**
 * The environment of a run. Nothing of ours goes there besides the key: proxies, profiles and the metadata service of a cloud would
 * otherwise decide where it sends and with which key.
 */
export const buildRunEnvironment = (
  dataDir: string,
  { accessKeyId, secretAccessKey }: CopyBucket,
  certificates: Record<string, string> = certificateEnvironment(),
): Record<string, string> => ({
  ...certificates,
  LITESTREAM_ACCESS_KEY_ID: accessKeyId,
  LITESTREAM_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_EC2_METADATA_DISABLED: 'true',
  HOME: join(dataDir, WORK_FOLDER),
  PATH: '/usr/bin:/bin',
})
