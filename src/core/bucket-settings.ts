import { Type } from '@sinclair/typebox'
import { flag, SECRET, text } from './setting-kinds.ts'

/** An address in a bucket, whose path has no steps upwards. */
const BUCKET_PATTERN = '^(s3://[a-z0-9][a-z0-9.-]+[a-z0-9](/(?!\\.+(/|$))[\\w.-]+)*/?)?$'

/** The settings of copies, and of the store that they and backups go to. */
export const BUCKET_SETTINGS = {
  COPIES_TO: Type.String({
    default: '',
    pattern: BUCKET_PATTERN,
    must: 'be s3://bucket/prefix',
    description:
      'Where the database is copied while it is written, and each kept picture: `s3://bucket/prefix`, for one install alone. A standby on another machine takes over from there. Needs Litestream. Empty: nowhere.',
  }),
  STANDBY: Type.String({
    default: '',
    pattern: BUCKET_PATTERN,
    must: 'be s3://bucket/prefix',
    description:
      'The `COPIES_TO` of another machine: this one waits, and takes over when that one is silent for 15 seconds. Empty: no.',
  }),
  SYNC_COPIES: flag(
    '`1`: the answer to a write waits until the write lies in `COPIES_TO`, so that nothing is lost when this machine dies. Each write takes as long as the store needs for a file.',
  ),
  LITESTREAM: text(
    'Path of the program Litestream 0.3.13, which copies the database. Empty: the one inside this executable, if it was built with it.',
  ),
  S3_ENDPOINT: Type.String({
    default: '',
    pattern: '^(https?://[^\\s/?#@]+/?)?$',
    must: 'be a URL like https://s3.example.com',
    description:
      'Address of the S3-compatible store of `BACKUP_TO`, `COPIES_TO` and `STANDBY`; it may be in a private network. Empty: Amazon in `S3_REGION`.',
  }),
  S3_REGION: Type.String({
    default: '',
    pattern: '^[\\w-]*$',
    must: 'be a region like eu-central-1',
    description: 'Region of the bucket. Empty: `us-east-1`, which most stores other than Amazon take.',
  }),
  S3_ACCESS_KEY_ID: Type.String({
    default: '',
    pattern: '^[^\\s]*$',
    must: 'be an access key, without spaces',
    description: 'Access key of the bucket, which may read, write, list and delete in it.',
  }),
  S3_SECRET_ACCESS_KEY: Type.String({
    default: '',
    pattern: '^[^\\s]*$',
    must: 'be the secret of an access key, without spaces',
    secret: SECRET.always,
    description: 'Secret of `S3_ACCESS_KEY_ID`.',
  }),
}

interface Together {
  BACKUP_TO: string
  COPIES_TO: string
  STANDBY: string
  SYNC_COPIES: boolean
  S3_ACCESS_KEY_ID: string
  S3_SECRET_ACCESS_KEY: string
}

/** What is wrong with them together, one sentence each. */
export function findBucketProblems(settings: Together): string[] {
  const { COPIES_TO, STANDBY, SYNC_COPIES, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
  const withBucket = (['BACKUP_TO', 'COPIES_TO', 'STANDBY'] as const).find((name) =>
    settings[name].startsWith('s3://'),
  )
  const isSame = (one: string, other: string) => one.replace(/\/$/, '') === other.replace(/\/$/, '')
  return [
    ...(withBucket && !(S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY)
      ? [`S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required with a bucket in ${withBucket}`]
      : []),
    ...(COPIES_TO && STANDBY && !isSame(COPIES_TO, STANDBY)
      ? [
          'COPIES_TO and STANDBY must be the same address: a standby goes on with the copies it has taken over',
        ]
      : []),
    ...(SYNC_COPIES && !COPIES_TO && !STANDBY ? ['SYNC_COPIES needs COPIES_TO or STANDBY'] : []),
  ]
}
