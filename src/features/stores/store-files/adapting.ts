import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { Ids } from '../../../core/ids.ts'
import { createChecksummedKey } from '../../../core/keys.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { malformed, type Row, type Value } from '../../../core/row-lines.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { isSoldOut } from '../../../core/sold-out.ts'
import { hashThumbnail } from '../../../core/thumbnail-hash.ts'
import type { Adapt } from '../../../platform/db/store-copy/writing.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import { credentialsContext } from '../../catalogue/product-feeds/schema.ts'
import { PrecomputedPictures, ProductId } from '../../catalogue/products/schema.ts'
import type { SigningSecrets } from './export.ts'
import type { StoreFileQueries } from './queries.ts'
import { createRowCheck, RULED_TABLES, type SettingsCheck } from './row-rules.ts'
import type { FileSecrets } from './schema.ts'

export interface AdaptDeps {
  ids: Ids
  queries: Pick<
    StoreFileQueries,
    'findKeptOwner' | 'hasVectorId' | 'findStoreOfApiKey' | 'findStoreOfPublicKey'
  >
  signing: Pick<SigningSecrets, 'create'>
  secretBox: Pick<SecretBox, 'seal'>
  settings: SettingsCheck
  /** Keeps the sweeper from a picture whose products come later. */
  holdKeptPicture(address: string): void
  putVector(modelHash: string, storeId: string, pictureId: number, vector: Float32Array): void
}

/** The file from which a store arrives. */
export interface ArrivingFile {
  /** The store's id here. */
  storeId: string
  /** Bytes of each picture in the file, by its hash. */
  pictures: ReadonlyMap<string, number>
  /** Length of the vectors, by the hash of their model. */
  dimensions: ReadonlyMap<string, number>
  /** undefined where they stayed, or nobody knows the passphrase. */
  secrets: FileSecrets | undefined
  /** Whether keys get new values, because a store with the same ones is here. */
  hasNewKeys: boolean
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ADDRESS = /^[A-Za-z0-9_-]{16,64}$/
const KEPT_PREFIX = '/pictures/'
const PUBLIC_URL = /^https?:\/\//
const HASH_BYTES = 32
const THUMBNAIL_BYTES_MAX = 64 * 1024
/** A unit vector of 32-bit floats is never further from the length 1. */
const LENGTH_ERROR_MAX = 0.01

const isProductId = TypeCompiler.Compile(ProductId)
const isPictures = TypeCompiler.Compile(PrecomputedPictures)

/** Makes the rows of a file those of this install. Whoever wrote the file may want to harm other stores here. */
export function createAdapters(deps: AdaptDeps, file: ArrivingFile): Record<string, Adapt> {
  const adapters = createTableAdapters(deps, file)
  const check = createRowCheck(deps.settings)
  const adapt =
    (table: string): Adapt =>
    (row, before) => {
      check(table, row)
      return adapters[table] ? adapters[table](row, before) : { row }
    }
  const tables = new Set([...Object.keys(adapters), ...RULED_TABLES])
  return Object.fromEntries([...tables].map((table) => [table, adapt(table)]))
}

function createTableAdapters(deps: AdaptDeps, file: ArrivingFile): Record<string, Adapt> {
  const { ids, queries } = deps
  const { storeId } = file
  /** Addresses of kept pictures that differ from those in the file. */
  const moved = new Map<string, string>()

  /** An address of a picture as it is here. One of a picture that the file lacks leads nowhere, never to another store's. */
  function placeUrl(url: Value | undefined): string {
    if (typeof url !== 'string') throw malformed('a picture has no address')
    if (PUBLIC_URL.test(url)) return url
    const before = url.slice(KEPT_PREFIX.length)
    if (!url.startsWith(KEPT_PREFIX) || !ADDRESS.test(before)) throw malformed('the address of a picture')
    const address = moved.get(before) ?? before
    if (queries.findKeptOwner(address) === storeId) return KEPT_PREFIX + address
    const lost = ids.secret(16)
    moved.set(before, lost)
    return KEPT_PREFIX + lost
  }

  function readVector(modelHash: string, bytes: Value | undefined): Float32Array | undefined {
    if (bytes === null || bytes === undefined) return undefined
    const dimension = file.dimensions.get(modelHash)
    if (!(bytes instanceof Uint8Array) || bytes.length !== 4 * (dimension ?? -1)) throw malformed('a vector')
    const vector = new Float32Array(new Uint8Array(bytes).buffer)
    let squares = 0
    for (const value of vector) squares += value * value
    if (!(Math.abs(Math.sqrt(squares) - 1) <= LENGTH_ERROR_MAX)) throw malformed('a vector')
    return vector
  }

  const refuseTaken = (slug: string | undefined, kind: string): void => {
    if (slug === undefined) return
    throw new OperatorError(
      `The store ${slug} on this install has ${kind} of the file, and a key opens one store only. Give the keys of the new store other values with --new-keys, or delete the other store first`,
    )
  }

  return {
    products(row) {
      if (!isProductId.Check(row['product_id'])) throw malformed('a product id')
      const vectorId = row['vector_id']
      if (typeof vectorId !== 'string' || !UUID.test(vectorId)) throw malformed('a vector id')
      return {
        row: {
          ...row,
          vector_id: queries.hasVectorId(vectorId) ? ids.uuid() : vectorId,
          image_url: placeUrl(row['image_url']),
          // A file of an older version does not say it.
          sold_out: isSoldOut(JSON.parse(String(row['metadata']))) ? 1 : 0,
        },
      }
    },

    kept_pictures(row) {
      const { address, content_hash: hash } = row
      if (typeof address !== 'string' || !ADDRESS.test(address)) throw malformed('the address of a picture')
      const bytes = file.pictures.get(toHash(hash).toString('hex'))
      // Its file was missing where the store comes from.
      if (bytes === undefined) return undefined
      const here = queries.findKeptOwner(address) === undefined ? address : ids.secret(16)
      if (here !== address) moved.set(address, here)
      return {
        row: { ...row, address: here, bytes, content_type: toPictureType(row['content_type']) },
        written: () => deps.holdKeptPicture(here),
      }
    },

    thumbnails({ is_given, ...row }) {
      const contentHash = toHash(row['content_hash'])
      const { webp } = row
      if (!(webp instanceof Uint8Array) || webp.length > THUMBNAIL_BYTES_MAX) throw malformed('a thumbnail')
      return { row: { ...row, hash: hashThumbnail(storeId, { contentHash, isPrecomputed: is_given === 1 }) } }
    },

    pictures({ vector: bytes, ...row }) {
      checkFacts(row)
      const model = String(row['model'])
      const vector = readVector(model, bytes)
      return {
        row: { ...row, image_url: placeUrl(row['image_url']) },
        written: (id) => vector && deps.putVector(model, storeId, id, vector),
      }
    },

    api_keys(row) {
      const hashes = [row['key_hash'], row['previous_key_hash'] ?? null]
        .filter((hash) => hash !== null)
        .map(toHash)
      // Nobody knows its value: it works once it is rotated.
      if (file.hasNewKeys)
        return { row: { ...row, key_hash: hashSecret(ids.secret(HASH_BYTES)), previous_key_hash: null } }
      for (const hash of hashes) refuseTaken(queries.findStoreOfApiKey(hash), 'an API key')
      return { row }
    },

    public_keys(row) {
      if (file.hasNewKeys) {
        const key = createChecksummedKey('pk_live_', ids)
        return { row: { ...row, key, key_hash: hashSecret(key), prefix: key.slice(0, 12) } }
      }
      const hash = toHash(row['key_hash'])
      if (row['key'] !== null && !hashSecret(String(row['key'])).equals(hash)) throw malformed('a widget key')
      refuseTaken(queries.findStoreOfPublicKey(hash), 'a widget key')
      return { row }
    },

    feeds({ has_login, ...row }, before) {
      const login = file.secrets?.feeds.find(({ feed }) => feed === before)?.login
      const credentials =
        login === undefined ? null : deps.secretBox.seal(login, credentialsContext(String(row['id'])))
      // Without its login every run would fail.
      return {
        row: { ...row, credentials, is_paused: has_login === 1 && !credentials ? 1 : row['is_paused'] },
      }
    },

    webhooks(row, before) {
      const secret = file.secrets?.signing.find(({ owner }) => owner === before)?.secret
      const isOn = row['enabled'] === 1 && secret !== undefined
      return {
        row: { ...row, enabled: isOn ? 1 : 0, disabled_reason: isOn ? null : 'requested' },
        written: () => void deps.signing.create(storeId, String(row['id']), secret),
      }
    },
  }
}

/** @throws UnreadableFile for facts that the index or the API could not show. */
function checkFacts(row: Row): void {
  const { content_type, bytes, width, height, phash } = row
  const facts = {
    ...{ content_type, bytes, width, height, phash },
    image_url: 'https://shop.example/',
    content_hash: toHash(row['content_hash']).toString('hex'),
    palette: JSON.parse(String(row['palette'])) as unknown,
    vector: null,
  }
  if (!isPictures.Check([facts])) throw malformed('the facts of a picture')
}

function toHash(value: Value | undefined): Buffer {
  if (!(value instanceof Uint8Array) || value.length !== HASH_BYTES) throw malformed('a hash')
  return Buffer.from(value)
}

const PICTURE_TYPE = /^image\/(jpeg|png|webp|avif|gif)$/

/** It becomes the header of an answer. */
function toPictureType(type: Value | undefined): string {
  if (typeof type !== 'string' || !PICTURE_TYPE.test(type)) throw malformed('the type of a picture')
  return type
}
