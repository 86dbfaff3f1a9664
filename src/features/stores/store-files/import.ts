import { Value as Check } from '@sinclair/typebox/value'
import { operatorAct } from '../../../core/audit.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import { normaliseEmail } from '../../../core/email.ts'
import { LIMITS } from '../../../core/limits.ts'
import { OperatorError, wrongInput } from '../../../core/operator-error.ts'
import type { PlanName } from '../../../core/plans.ts'
import { malformed, parseLine, readLines } from '../../../core/row-lines.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { findSlugProblem } from '../../../core/slugs.ts'
import { UnreadableFile } from '../../../core/unreadable-file.ts'
import type { BundleManifest, BundlePart } from '../../../platform/archives/bundle.ts'
import type { BundleReader, BundleWish } from '../../../platform/archives/bundle-reader.ts'
import type { StoredModel } from '../../../platform/db/models.ts'
import type { Adapt, RowWriter } from '../../../platform/db/store-copy/writing.ts'
import type { StoreRows } from '../../../platform/db/store-rows.ts'
import type { ModelFingerprint } from '../../../platform/embedder/embedder.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../people/queries.ts'
import type { StoreQueries } from '../stores/queries.ts'
import type { InviteService, WrittenInvite } from '../team/invites.ts'
import type { NewInvite } from '../team/schema.ts'
import { type AdaptDeps, createAdapters } from './adapting.ts'
import type { OpenerDeps } from './arrivals.ts'
import { CALLBACKS } from './export.ts'
import {
  PEOPLE,
  PEOPLE_BYTES_MAX,
  pictureOf,
  picturePart,
  SECRETS,
  SECRETS_BYTES_MAX,
  tableOf,
} from './parts.ts'
import type { StoreFileQueries } from './queries.ts'
import { FileDetails, FilePeople, type FileSecrets } from './schema.ts'

export interface ImportDeps
  extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'withoutFsync' | 'record' | 'plans'>,
    Omit<AdaptDeps, 'queries' | 'putVector' | 'ids'> {
  queries: StoreFileQueries & OpenerDeps['queries']
  storeRows: Pick<
    StoreQueries,
    'findStoreBySlug' | 'addArriving' | 'removeErased' | 'countProducts' | 'findStore'
  >
  people: Pick<PeopleQueries, 'listSuperAdmins'>
  invites: Pick<InviteService, 'writeForArrival' | 'send'>
  rows: StoreRows
  tables: readonly string[]
  createWriter(storeId: string, adapt: Readonly<Record<string, Adapt>>): RowWriter
  listModels(): StoredModel[]
  registerModel(model: ModelFingerprint, now: number): void
  releaseKeptPictures(storeId: string): void
  openSecrets(sealed: Uint8Array, passphrase: string): Promise<FileSecrets>
  readBundle(path: string, wish: BundleWish, reader: BundleReader): Promise<BundleManifest>
  open(arrival: { storeId: string; slug: string }): void
  /** Of this program's database. */
  schema: number
}

export interface ImportOptions {
  /** By default the slug in the file. */
  slug?: string | undefined
  passphrase?: string | undefined
  /** Whether keys get new values. */
  hasNewKeys: boolean
  files: Pick<PictureFiles, 'write' | 'file'>
  /** Whether a service runs beside, which then opens the store. */
  isServed: boolean
  /** The hash of the model that this install embeds with, as far as it is known. */
  ownModelHash: string | undefined
  /** Lets others work after a step of so many ms. */
  pause(ms: number): Promise<void>
  stop?: AbortSignal | undefined
  onProgress?: ((share: number) => void) | undefined
}

/** A store that was brought in. */
export interface ImportReport {
  store_id: string
  slug: string
  name: string
  plan: PlanName
  client_id: string
  /** Shown once. */
  client_secret: string
  products: number
  /** What the plan allows; null for any number. */
  products_max: number | null
  invites: NewInvite[]
  /** Secrets of webhooks, callbacks and feeds: whether they are in the file, and were opened. */
  secrets: 'opened' | 'closed' | 'absent'
  webhooks_off: number
  feeds_paused: number
  /** Whether its pictures must be embedded again, because another model made their vectors. */
  is_reembedded: boolean
}

/** A file that was read to its end and is whole. */
interface Inspected {
  details: FileDetails
  people: FilePeople
  sealed: Uint8Array | undefined
  pictures: Map<string, number>
  bytes: number
}

/** An import that has said nothing for so long is dead. */
const LEASE_MS = 2 * MINUTE_MS
/** Rows of one transaction: some 30 ms beside a service, and more where nobody waits, which writes less. */
const STEP = 64
const ALONE_STEP = 2_000
const ERASED_STEP = 500
const CLIENT_SECRET_BYTES = 32

/** Brings stores in from files. */
export function createImport(deps: ImportDeps) {
  const { queries, storeRows, people, invites, clock, ids, atomically, withoutFsync, record } = deps

  const isKnown = (path: string): boolean => {
    const table = tableOf(path)
    if (table !== undefined) return deps.tables.includes(table)
    return path === PEOPLE || path === SECRETS || pictureOf(path) !== undefined
  }

  /** Reads the whole file before anything is written. @throws UnreadableFile, OperatorError. */
  async function inspect(path: string, wish: BundleWish): Promise<Inspected> {
    const small = new Map<string, Uint8Array>()
    const pictures = new Map<string, number>()
    let bytes = 0
    const manifest = await deps.readBundle(path, wish, {
      begin({ schema, version, parts }) {
        if (schema > deps.schema)
          throw new OperatorError(
            `The file is of a newer lookalike (${version}): install that one here first`,
          )
        for (const part of parts) {
          bytes += part.bytes
          const hash = pictureOf(part.path)
          if (hash !== undefined) pictures.set(hash, demandPicture(part, hash))
        }
      },
      async take(part, content) {
        const max = part.path === PEOPLE ? PEOPLE_BYTES_MAX : SECRETS_BYTES_MAX
        if (part.path === PEOPLE || part.path === SECRETS)
          small.set(part.path, await readWhole(part, content, max))
        else for await (const _ of content);
      },
    })
    const { details } = manifest
    if (!Check.Check(FileDetails, details)) throw malformed('its manifest does not describe a store')
    const found = parseJson(small.get(PEOPLE))
    if (!Check.Check(FilePeople, found)) throw malformed('its people are malformed')
    for (const { email } of [...found.members, ...found.makers])
      if (normaliseEmail(email) !== email) throw malformed('the address of a person')
    return { details, people: found, sealed: small.get(SECRETS), pictures, bytes }
  }

  /** @returns the slug that the store gets. @throws OperatorError */
  function demandSlug({ details }: Inspected, wanted: string | undefined): string {
    const slug = wanted ?? details.store.slug
    const fault = findSlugProblem(slug)
    if (fault) throw wrongInput(fault)
    if (storeRows.findStoreBySlug(slug))
      throw new OperatorError(`There is a store "${slug}" already: choose another slug with --as`)
    return slug
  }

  /** @returns the person who invites the members. */
  function demandInviter(): string {
    const [first] = people.listSuperAdmins(1)
    if (first) return first.id
    throw new OperatorError(
      'This install has no owner yet, who would invite the members: run lookalike setup first',
    )
  }

  /** @throws OperatorError where a running service would not know the model; UnreadableFile for one that lies about it. */
  function demandModels({ details }: Inspected, { isServed }: ImportOptions): void {
    const known = new Map(deps.listModels().map((model) => [model.hash, model]))
    for (const { id, hash, dimension } of details.models) {
      const here = known.get(hash)
      if (here && here.dimension !== dimension)
        throw malformed('its vectors have another length than their model')
      if (!here && isServed)
        throw new OperatorError(
          `The vectors in the file are of another model (${id}). Stop the service, bring the store in and start the service again: it then embeds the pictures anew`,
        )
    }
  }

  /** Adds a store that nobody sees. */
  function begin({ details: { store, models } }: Inspected, slug: string, clientSecret: string): string {
    const storeId = ids.uuid()
    const now = clock.now()
    for (const model of models) deps.registerModel(model, now)
    const { name, plan } = store
    atomically(() => {
      const clientSecretHash = hashSecret(clientSecret)
      storeRows.addArriving({ id: storeId, slug: storeId, name, plan, clientSecretHash, createdAt: now })
      queries.addArrival(storeId, slug, now + LEASE_MS)
    })
    return storeId
  }

  /** Does a step of the work in a transaction, and lets others work. @throws OperatorError once the service deletes the store. */
  async function step(storeId: string, { pause, stop }: ImportOptions, work: () => void): Promise<void> {
    const start = clock.monotonic()
    withoutFsync(() =>
      atomically(() => {
        const now = clock.now()
        if (!queries.renewArrival(storeId, now, now + LEASE_MS))
          throw new OperatorError(
            'The import was held up for too long, and the service has ended it: try again',
          )
        work()
      }),
    )
    await pause(clock.monotonic() - start)
    stop?.throwIfAborted()
  }

  async function takeRows(
    writer: RowWriter,
    table: string,
    content: AsyncIterable<Uint8Array>,
    rowsMax: number,
    doStep: (work: () => void) => Promise<void>,
  ): Promise<void> {
    let write: ((values: ReturnType<typeof parseLine>) => void) | undefined
    let waiting: ReturnType<typeof parseLine>[] = []
    const flush = () =>
      doStep(() => {
        for (const values of waiting) write?.(values)
        waiting = []
      })
    for await (const line of readLines(content)) {
      const values = parseLine(line)
      if (!write) write = writer.open(table, values)
      else if (waiting.push(values) === rowsMax) await flush()
    }
    await flush()
  }

  /** Writes everything that the file holds. The store is not seen yet. */
  async function fill(
    storeId: string,
    path: string,
    wish: BundleWish,
    inspected: Inspected,
    secrets: FileSecrets | undefined,
    options: ImportOptions,
  ): Promise<RowWriter> {
    const { files, hasNewKeys, onProgress } = options
    const vectors = new Map(deps.listModels().map((model) => [model.hash, model.vectors]))
    const dimensions = new Map(inspected.details.models.map(({ hash, dimension }) => [hash, dimension]))
    const adapters = createAdapters(
      { ...deps, putVector: (hash, owner, id, vector) => vectors.get(hash)?.put(owner, id, vector) },
      { storeId, pictures: inspected.pictures, dimensions, secrets, hasNewKeys },
    )
    const writer = deps.createWriter(storeId, adapters)
    const rowsMax = options.isServed ? STEP : ALONE_STEP
    let done = 0
    const watched = async function* (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of content) {
        yield piece
        done += piece.length
        onProgress?.(done / inspected.bytes)
      }
    }
    await deps.readBundle(path, wish, {
      async take(part, raw) {
        const content = watched(raw)
        const table = tableOf(part.path)
        const hash = pictureOf(part.path)
        if (table !== undefined)
          await takeRows(writer, table, content, rowsMax, (work) => step(storeId, options, work))
        else if (hash !== undefined) {
          const bytes = await readWhole(part, content, LIMITS.pictureBytesMax)
          await step(storeId, options, () => {})
          // A file that no row names would never be deleted.
          if (queries.keepsPicture(storeId, hash)) await files.write(hash, bytes)
        } else for await (const _ of content);
      },
    })
    for (const hash of queries.listKept(storeId))
      if (!(await files.file(hash)))
        throw new OperatorError('A picture vanished while the store came in: try again')
    return writer
  }

  /** Makes the store whole: its people are invited, and it only has to be opened. */
  function complete(
    storeId: string,
    slug: string,
    inviterId: string,
    writer: RowWriter,
    { people: { members, makers }, details }: Inspected,
    secrets: FileSecrets | undefined,
  ): WrittenInvite[] {
    return atomically(() => {
      const now = clock.now()
      if (!queries.renewArrival(storeId, now, now + LEASE_MS))
        throw new OperatorError('The import took too long')
      const callbacks = secrets?.signing.find(({ owner }) => owner === CALLBACKS)?.secret
      if (callbacks !== undefined) deps.signing.create(storeId, CALLBACKS, callbacks)
      const translate = (table: string, name: string) => String(writer.translate(table, name))
      for (const { email, groups } of members)
        for (const group of groups)
          queries.awaitPerson(storeId, email, 'group', translate('user_groups', group))
      for (const { email, key } of makers)
        queries.awaitPerson(storeId, email, 'api_key', translate('api_keys', key))
      const { plan, slug: before } = details.store
      record(
        operatorAct(null)(storeId, 'store.created', { slug, plan, from_file: true, slug_in_file: before }),
      )
      deps.releaseKeptPictures(storeId)
      queries.completeArrival(storeId)
      return members.map(({ email, role }) =>
        invites.writeForArrival({ id: storeId, slug }, inviterId, email, role),
      )
    })
  }

  /** Deletes what came of a store; what a kill leaves of it, the service deletes. */
  async function abandon(storeId: string, { pause }: ImportOptions): Promise<void> {
    atomically(() => queries.endArrival(storeId))
    for (const table of deps.rows.tables) {
      while (withoutFsync(() => atomically(() => deps.rows.removeSome(table, storeId, ERASED_STEP))) > 0)
        await pause(0)
    }
    atomically(() => storeRows.removeErased(storeId))
  }

  async function readSecrets(
    { sealed }: Inspected,
    passphrase: string | undefined,
  ): Promise<FileSecrets | undefined> {
    return sealed && passphrase !== undefined ? deps.openSecrets(sealed, passphrase) : undefined
  }

  /**
   * Brings a store in from a file, under a new id. The file is read to its end first; then its rows are written in small
   * steps to a store that nobody sees, which is opened once everything is there.
   *
   * @throws UnreadableFile for a file that is damaged or not what it should be, OperatorError for one that does not fit here.
   */
  return async (path: string, options: ImportOptions): Promise<ImportReport> => {
    const wish: BundleWish = { kind: 'store', isKnown, stop: options.stop }
    const inspected = await inspect(path, wish)
    const slug = demandSlug(inspected, options.slug)
    const inviterId = demandInviter()
    demandModels(inspected, options)
    const secrets = await readSecrets(inspected, options.passphrase)
    const clientSecret = ids.secret(CLIENT_SECRET_BYTES)
    const storeId = begin(inspected, slug, clientSecret)
    let written: WrittenInvite[]
    try {
      const writer = await fill(storeId, path, wish, inspected, secrets, options)
      written = complete(storeId, slug, inviterId, writer, inspected, secrets)
    } catch (error) {
      await abandon(storeId, options)
      throw error
    }
    if (!options.isServed) deps.open({ storeId, slug })
    const { name, plan } = inspected.details.store
    const { productsMax } = deps.plans[plan]
    const { webhooksOff, feedsPaused } = queries.countWaiting(storeId)
    const models = inspected.details.models
    return {
      ...{ store_id: storeId, slug, name, plan, client_id: storeId, client_secret: clientSecret },
      products: storeRows.countProducts(storeId),
      products_max: productsMax === Infinity ? null : productsMax,
      invites: await Array.fromAsync(written, invites.send),
      secrets: secrets ? 'opened' : inspected.sealed ? 'closed' : 'absent',
      webhooks_off: webhooksOff,
      feeds_paused: feedsPaused,
      is_reembedded: models.length > 0 && models.some(({ hash }) => hash !== (options.ownModelHash ?? hash)),
    }
  }
}

/** @returns its bytes. @throws UnreadableFile for a picture that is not what its name says. */
function demandPicture({ path, bytes, sha256 }: BundlePart, hash: string): number {
  if (sha256 !== hash || bytes > LIMITS.pictureBytesMax || path !== picturePart(hash))
    throw malformed('a picture')
  return bytes
}

async function readWhole(
  { path, bytes }: BundlePart,
  content: AsyncIterable<Uint8Array>,
  max: number,
): Promise<Uint8Array> {
  if (bytes > max) throw new UnreadableFile(`The file holds a part that is too large: ${path}`)
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}

function parseJson(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(bytes ?? []).toString('utf8'))
  } catch {
    return undefined
  }
}
