import { createHash } from 'node:crypto'
import { isoTime } from '../../../core/clock.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import type { Row } from '../../../core/row-lines.ts'
import { hashThumbnail } from '../../../core/thumbnail-hash.ts'
import { turn } from '../../../core/turns.ts'
import type { BundleManifest, BundlePart } from '../../../platform/archives/bundle.ts'
import type { WriteOptions, WrittenBundle } from '../../../platform/archives/bundle-writer.ts'
import type { StoredModel } from '../../../platform/db/models.ts'
import type { Fill } from '../../../platform/db/store-copy/reading.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import { credentialsContext } from '../../catalogue/product-feeds/schema.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../stores/queries.ts'
import { PEOPLE, pictureOf, picturePart, rowsPart, SECRETS, tableOf } from './parts.ts'
import type { StoreFileQueries } from './queries.ts'
import type { FileDetails, FilePeople, FileSecrets } from './schema.ts'

/** The secrets that sign what a store sends. */
export interface SigningSecrets {
  findCurrent(storeId: string, owner: string): string | undefined
  create(storeId: string, owner: string, secret?: string): string
}

/** The owner of the secret that signs the callbacks of jobs. */
export const CALLBACKS = 'callbacks'

export interface ExportDeps extends Pick<Base, 'clock'> {
  queries: StoreFileQueries
  storeRows: Pick<StoreQueries, 'findStoreBySlug' | 'countProducts'>
  signing: Pick<SigningSecrets, 'findCurrent'>
  secretBox: Pick<SecretBox, 'open'>
  /** Reads the database as it is at one moment. */
  atOneMoment<Result>(work: () => Promise<Result>): Promise<Result>
  /** The tables whose rows are copied. */
  tables: readonly string[]
  readRows(table: string, storeId: string, fill?: Fill): Iterable<string>
  listModels(): StoredModel[]
  sealSecrets(secrets: FileSecrets, passphrase: string): Promise<Uint8Array>
  writeBundle(
    path: string,
    manifest: BundleManifest,
    read: (part: BundlePart) => AsyncIterable<Uint8Array>,
    options: WriteOptions,
  ): Promise<WrittenBundle>
  /** Of this program, and of its database's schema. */
  version: string
  schema: number
}

export interface ExportOptions {
  files: Pick<PictureFiles, 'file'>
  /** Seals the secrets; without one they stay here. */
  passphrase?: string | undefined
  stop?: AbortSignal | undefined
  /** Learns how much is done, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
}

/** What is in a file that was written. */
export interface ExportReport {
  slug: string
  bytes: number
  products: number
  pictures: number
  /** Kept pictures whose files are missing here. */
  lost: number
  members: number
  /** Webhooks, feeds with a login and the callbacks whose secrets are not in the file. */
  secretsLeftOut: number
  /** Jobs that are not finished; what they have yet to do is not in the file. */
  unfinishedJobs: number
}

const PIECE_CHARS = 64 * 1024

/** Measuring reads all that is written, so it is half of the work. */
const MEASURED = 0.5

/** Writes a store to one file. */
export function createExport(deps: ExportDeps) {
  const { queries, storeRows, signing, secretBox, clock } = deps

  function readPeople(storeId: string): FilePeople {
    const groups = Map.groupBy(queries.listGroupMembers(storeId), ({ userId }) => userId)
    const awaited = Map.groupBy(queries.listAwaited(storeId, 'group'), ({ email }) => email)
    const members = queries.listMembers(storeId).map(({ userId, email, role }) => ({
      ...{ email, role },
      groups: (groups.get(userId) ?? []).map(({ groupId }) => groupId),
    }))
    const known = new Set(members.map(({ email }) => email))
    for (const { email, role } of queries.listInvited(storeId, clock.now())) {
      if (known.has(email)) continue
      known.add(email)
      members.push({ email, role, groups: (awaited.get(email) ?? []).map(({ id }) => id) })
    }
    const stillAwaited = queries.listAwaited(storeId, 'api_key').map(({ email, id }) => ({ email, key: id }))
    return { members, makers: [...queries.listMakers(storeId), ...stillAwaited] }
  }

  function readSecrets(storeId: string): FileSecrets {
    const owners = [...queries.listWebhookIds(storeId), CALLBACKS]
    return {
      signing: owners.flatMap((owner) => {
        const secret = signing.findCurrent(storeId, owner)
        return secret === undefined ? [] : [{ owner, secret }]
      }),
      feeds: queries.listLogins(storeId).flatMap(({ id, sealed }) => {
        const login = secretBox.open(sealed, credentialsContext(id))
        return login === undefined ? [] : [{ feed: id, login }]
      }),
    }
  }

  /** Fills what the tables themselves do not hold. @param used learns the models whose vectors travel. */
  function createFills(storeId: string, used: Set<string>): Record<string, Fill> {
    const models = new Map(deps.listModels().map((model) => [model.hash, model]))
    return {
      pictures({ model }: Row, id) {
        used.add(String(model))
        const vector = models.get(String(model))?.vectors.find(storeId, id)
        return { vector: vector ? new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength) : null }
      },
      thumbnails({ content_hash: contentHash, hash }: Row) {
        const given = hashThumbnail(storeId, { contentHash: contentHash as Uint8Array, isPrecomputed: true })
        return { is_given: given.equals(hash as Uint8Array) ? 1 : 0 }
      },
    }
  }

  async function write(slug: string, path: string, options: ExportOptions): Promise<ExportReport> {
    const { files, passphrase, stop, onProgress } = options
    const store = storeRows.findStoreBySlug(slug)
    if (!store) throw new OperatorError(`There is no store "${slug}"; lookalike store list shows them all`)
    const { id: storeId, name, plan } = store
    const people = readPeople(storeId)
    const secrets = readSecrets(storeId)
    const secretCount = secrets.signing.length + secrets.feeds.length
    const small = new Map([[PEOPLE, encode(people)]])
    if (passphrase !== undefined) small.set(SECRETS, await deps.sealSecrets(secrets, passphrase))
    const used = new Set<string>()
    const fills = createFills(storeId, used)
    const rowsOf = (table: string) => toPieces(deps.readRows(table, storeId, fills[table]), stop)

    const parts: BundlePart[] = []
    const counts: Record<string, number> = {}
    for (const [part, bytes] of small) parts.push({ path: part, ...(await measure([bytes])) })
    for (const [n, table] of deps.tables.entries()) {
      const { lines, ...measured } = await measure(rowsOf(table))
      counts[table] = lines - 1
      parts.push({ path: rowsPart(table), ...measured })
      onProgress?.((MEASURED * (n + 1)) / deps.tables.length)
    }
    const kept = queries.listKept(storeId)
    for (const hash of kept) {
      stop?.throwIfAborted()
      const file = await files.file(hash)
      if (file) parts.push({ path: picturePart(hash), bytes: file.size, sha256: hash })
    }
    const models = deps.listModels().filter(({ hash }) => used.has(hash))
    const details: FileDetails = {
      store: { slug, name, plan },
      models: models.map(({ id, hash, dimension }) => ({ id, hash, dimension })),
    }
    const manifest: BundleManifest = {
      ...{ format: 1, kind: 'store', version: deps.version, schema: deps.schema },
      model: models.at(-1)?.id ?? '',
      made_at: isoTime(clock.now()),
      ...{
        counts,
        parts: parts.map(({ path: part, bytes, sha256 }) => ({ path: part, bytes, sha256 })),
        details,
      },
    }

    async function* read({ path: part }: BundlePart): AsyncGenerator<Uint8Array> {
      const bytes = small.get(part)
      const table = tableOf(part)
      if (bytes) yield bytes
      else if (table !== undefined) yield* rowsOf(table)
      else yield* readPicture(files, pictureOf(part) ?? '')
    }
    let total = 0
    for (const { bytes } of parts) total += bytes
    const written = await deps.writeBundle(path, manifest, read, {
      stop,
      onBytes: (bytes) => onProgress?.(MEASURED + ((1 - MEASURED) * bytes) / total),
    })
    return {
      ...{ slug, bytes: written.bytes },
      products: counts['products'] ?? 0,
      pictures: counts['pictures'] ?? 0,
      lost: kept.length - parts.filter(({ path: part }) => pictureOf(part) !== undefined).length,
      members: people.members.length,
      secretsLeftOut: passphrase === undefined ? secretCount : 0,
      unfinishedJobs: queries.countUnfinishedJobs(storeId),
    }
  }

  /**
   * Writes a store to a new file, as it is at one moment.
   *
   * @param path must not exist; the file is readable by its owner alone.
   * @throws OperatorError if there is no such store, or if a kept picture vanishes meanwhile; the error of the disk.
   */
  return (slug: string, path: string, options: ExportOptions): Promise<ExportReport> =>
    deps.atOneMoment(() => write(slug, path, options))
}

const encode = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))

/** Joins lines to pieces, and lets others have a turn after each. */
async function* toPieces(lines: Iterable<string>, stop: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < PIECE_CHARS) continue
    yield Buffer.from(text)
    text = ''
    await turn()
    stop?.throwIfAborted()
  }
  if (text !== '') yield Buffer.from(text)
}

const NEWLINE = 0x0a

async function measure(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ bytes: number; sha256: string; lines: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  for await (const piece of content) {
    hash.update(piece)
    bytes += piece.length
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) lines++
  }
  return { bytes, sha256: hash.digest('hex'), lines }
}

async function* readPicture(files: Pick<PictureFiles, 'file'>, hash: string): AsyncGenerator<Uint8Array> {
  const file = await files.file(hash)
  if (!file) throw new OperatorError('A picture was deleted while the store was written: try again')
  yield* file.stream()
}
