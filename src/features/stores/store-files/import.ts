import { operatorAct } from '../../../core/audit.ts'
import { OperatorError, wrongInput } from '../../../core/operator-error.ts'
import type { PlanName } from '../../../core/plans.ts'
import { malformed } from '../../../core/row-lines.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { findSlugProblem } from '../../../core/slugs.ts'
import type { BundleManifest } from '../../../platform/archives/bundle.ts'
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
import type { AdaptDeps } from './adapting.ts'
import type { OpenerDeps } from './arrivals.ts'
import { CALLBACKS } from './export.ts'
import { createFilling, LEASE_MS } from './filling.ts'
import { createInspection, type Inspected } from './inspecting.ts'
import type { StoreFileQueries } from './queries.ts'
import type { FileSecrets } from './schema.ts'

export interface ImportDeps
  extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'withoutFsync' | 'record' | 'plans'>,
    Omit<AdaptDeps, 'queries' | 'putVector' | 'ids'> {
  queries: StoreFileQueries & OpenerDeps['queries']
  storeRows: Pick<
    StoreQueries,
    'findStoreBySlug' | 'findMovedBySlug' | 'addArriving' | 'removeErased' | 'countProducts' | 'findStore'
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
  /** How much the disk still takes. */
  roomBytes: number
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

const ERASED_STEP = 500
const CLIENT_SECRET_BYTES = 32

/** Brings stores in from files. */
export function createImport(deps: ImportDeps) {
  const { queries, storeRows, people, invites, clock, ids, atomically, withoutFsync, record } = deps
  const { isKnown, inspect } = createInspection(deps)
  const fill = createFilling(deps)

  /** @returns the slug that the store gets. @throws OperatorError */
  function demandSlug({ details }: Inspected, wanted: string | undefined): string {
    const slug = wanted ?? details.store.slug
    const fault = findSlugProblem(slug)
    if (fault) throw wrongInput(fault)
    const moved = storeRows.findMovedBySlug(slug)
    if (moved)
      throw new OperatorError(`The store "${slug}" has moved to ${moved.url}: choose another slug with --as`)
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
    const inspected = await inspect(path, wish, options.roomBytes)
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
