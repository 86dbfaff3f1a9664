import type { Cidr } from '../../../core/networks.ts'
import { wrongInput } from '../../../core/operator-error.ts'
import { createEgress } from '../../outbound/egress.ts'
import { type BucketOptions, openBucket } from './bucket.ts'
import { openBucketPlace } from './bucket-place.ts'
import { openFolderPlace } from './folder-place.ts'
import type { CopyPlace } from './place.ts'

/** The settings that say where copies lie. */
export interface TargetSettings {
  S3_ENDPOINT: string
  S3_REGION: string
  S3_ACCESS_KEY_ID: string
  S3_SECRET_ACCESS_KEY: string
  OFFLINE: boolean
}

const DEFAULT_REGION = 'us-east-1'

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]+[a-z0-9])(?:\/([\w./-]*))?$/

export const isBucketAddress = (address: string): boolean => address.startsWith('s3://')

/** Splits `s3://bucket/path`. @throws OperatorError */
function parseBucketAddress(address: string): { bucket: string; path: string } {
  const [, bucket, path = ''] = S3.exec(address) ?? []
  const parts = path.split('/').filter((part) => part !== '')
  if (bucket === undefined || parts.some((part) => /^\.+$/.test(part)))
    throw wrongInput(`${address} is not an address like s3://bucket/prefix`)
  return { bucket, path: parts.join('/') }
}

/** @throws OperatorError for settings that are missing. */
export function openBucketOf(
  address: string,
  settings: TargetSettings,
  allowCidrs: readonly Cidr[],
  options: Omit<BucketOptions, 'egress'>,
) {
  const { bucket, path } = parseBucketAddress(address)
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  if (accessKeyId === '' || secretAccessKey === '')
    throw wrongInput('Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY to the key of the bucket')
  const region = settings.S3_REGION || DEFAULT_REGION
  const endpoint = settings.S3_ENDPOINT || `https://s3.${region}.amazonaws.com`
  const egress = createEgress({ allowCidrs, isOffline: settings.OFFLINE, setting: 'FETCH_ALLOW_CIDRS' })
  return {
    bucket: openBucket({ endpoint, region, bucket, accessKeyId, secretAccessKey }, { ...options, egress }),
    name: bucket,
    path,
    endpoint,
    region,
  }
}

/** Opens the place of `BACKUP_TO`. @throws OperatorError */
export function openPlace(
  address: string,
  installId: string,
  settings: TargetSettings,
  allowCidrs: readonly Cidr[],
  stop: AbortSignal,
): CopyPlace {
  if (!isBucketAddress(address)) return openFolderPlace(address, installId)
  const { bucket, name, path } = openBucketOf(address, settings, allowCidrs, { stop })
  return openBucketPlace(bucket, { name, prefix: path, installId })
}
