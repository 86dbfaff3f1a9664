import type { Cidr } from '../../core/networks.ts'
import type { Bucket } from '../backup/copies/bucket.ts'
import { listKeys } from '../backup/copies/bucket-place.ts'
import { openBucketOf, type TargetSettings } from '../backup/copies/target.ts'
import type { PictureObjects } from '../pictures/copied.ts'
import type { ListBelow } from './epochs.ts'
import type { CopyBucket } from './run-file.ts'

/** The place of the copies of one install. */
export interface CopyPlace {
  bucket: CopyBucket
  /** Without slashes at its ends; empty for the whole bucket. */
  prefix: string
  /** Where the place is, for people. */
  name: string
  client: Bucket
  /** For what is worth nothing when it comes late. */
  quickClient: Bucket
  listBelow: ListBelow
  pictures: PictureObjects
}

const PAGES_MAX = 100
/** Twice and a pause within the time in which a lease is good. */
const QUICK_MS = 3_000

/** Opens the place that `COPIES_TO` or `STANDBY` names. @throws OperatorError */
export function openCopyPlace(
  address: string,
  settings: TargetSettings,
  allowCidrs: readonly Cidr[],
  stop: AbortSignal,
): CopyPlace {
  const {
    bucket: client,
    name,
    path,
    endpoint,
    region,
  } = openBucketOf(address, settings, allowCidrs, { stop })
  const { bucket: quickClient } = openBucketOf(address, settings, allowCidrs, {
    ...{ stop, requestMs: QUICK_MS },
    waits: [300],
  })
  return {
    bucket: {
      ...{ endpoint, region, bucket: name },
      accessKeyId: settings.S3_ACCESS_KEY_ID,
      secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
    },
    prefix: path,
    name: `s3://${name}${path === '' ? '' : `/${path}`}`,
    client,
    quickClient,
    listBelow: (prefix) => listBelow(client, prefix),
    pictures: {
      put: async (key, body) => void (await client.ask({ method: 'PUT', key, body })),
      read: async (key) => {
        const pieces: Uint8Array[] = []
        for await (const piece of client.read(key)) pieces.push(piece)
        return Buffer.concat(pieces)
      },
      list: (prefix) => listKeys(client, prefix),
    },
  }
}

async function listBelow(client: Bucket, prefix: string): Promise<string[]> {
  const names: string[] = []
  let token = ''
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = {
      ...{ 'list-type': '2', prefix, delimiter: '/' },
      ...(token === '' ? {} : { 'continuation-token': token }),
    }
    const { text } = await client.ask({ method: 'GET', query })
    for (const [, key, folder] of text.matchAll(
      /<Key>([^<]*)<\/Key>|<CommonPrefixes><Prefix>([^<]*)<\/Prefix>/g,
    ))
      names.push(key ?? folder ?? '')
    token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? ''
    if (token === '') break
  }
  return names
}
