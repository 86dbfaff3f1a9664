import { join } from 'node:path'
import { startServing } from '../../bench/parts/process.ts'

/** The drill's object store, in a process of its own: s3rver behind a proxy that adds conditional writes under one lock. */
export interface Bucket extends AsyncDisposable {
  address: string
  /** Where copies go: `s3://bucket/prefix`. */
  url: string
  /** What a node needs to use it, at its own address or at that of a link to it. */
  settingsAt(address: string): Record<string, string>
}

const NAME = 'drill'

export async function openBucket(root: string): Promise<Bucket> {
  const script = join(import.meta.dir, '../object-store.ts')
  const words = [process.execPath, script, '--folder', join(root, 'objects'), '--bucket', NAME]
  const served = await startServing(words, {})
  return {
    address: served.address,
    url: `s3://${NAME}/node`,
    settingsAt: (address) => ({
      ...{ S3_ENDPOINT: address, S3_REGION: 'us-east-1' },
      ...{ S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' },
    }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  }
}
