import { type Actor, may, type Permission } from '../../../core/actor.ts'
import { type Atomically, type AuditEvent, actOf, type RecordEvent } from '../../../core/audit.ts'
import { type Clock, isoTime } from '../../../core/clock.ts'
import { ApiError, missingPermission, notFound, signInFirst } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { checksummedKey } from '../../../core/keys.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { hashSecret, isSecret } from '../../../core/secrets.ts'
import { problemsOf, validationError } from '../../../http/validation.ts'
import { KEYS_PER_STORE_MAX, PREFIX_CHARS } from '../api-keys/schema.ts'
import { exactOrigin, ORIGIN_FORM } from './origins.ts'
import type { PublicKeyQueries, PublicKeyRow } from './queries.ts'
import {
  type DeletedPublicKey,
  type NewPublicKey,
  type PublicKey,
  PublicKeyBody,
  type PublicKeyList,
  type PublicKeyPatch,
  WIDGET_USES,
  type WidgetUse,
} from './schema.ts'

export interface PublicKeyDeps {
  queries: PublicKeyQueries
  clock: Clock
  ids: Ids
  atomically: Atomically
  record: RecordEvent
}

/** What `lookalike key create` prints; the key is shown this once. */
export interface OperatorsKey {
  id: string
  name: string
  key: string
  origins: string[]
}

/** Whose budget a widget's call spends, and how large it is. */
export interface AdmittedWidget {
  keyId: string
  storeId: string
  /** null: as many as the plan allows. */
  ratePerMinute: number | null
}

export type PublicKeyService = ReturnType<typeof widgetKeyService>

/** Public widget keys of stores, bound to exact origins (spec §5.5, D8). */
export function widgetKeyService(deps: PublicKeyDeps) {
  const { queries, clock, ids, atomically, record } = deps

  /** @throws ApiError `not_found`, also for another store's key. */
  function owned(storeId: string, id: string): PublicKeyRow {
    const row = queries.byId(storeId, id)
    if (!row) throw notFound('public_key')
    return row
  }

  type Wanted = Pick<PublicKeyRow, 'storeId' | 'name' | 'origins' | 'ratePerMinute' | 'allowed'>

  function add(wanted: Wanted, eventOf: (details: AuditEvent['details']) => AuditEvent) {
    const key = checksummedKey('pk_live_', ids)
    const row: PublicKeyRow = {
      ...wanted,
      id: ids.uuid(),
      keyHash: hashSecret(key),
      prefix: key.slice(0, PREFIX_CHARS),
      createdAt: clock.now(),
    }
    atomically(() => {
      if (queries.count(row.storeId) >= KEYS_PER_STORE_MAX) throw tooManyKeys()
      queries.add(row)
      record(eventOf(detailsOf(row)))
    })
    return { row, key }
  }

  return {
    /** Ends every key of a store. To be called in a transaction. */
    removeAllOf: queries.removeAllOf,

    /**
     * Makes a key for the operator at the command line, with all that a widget may do.
     *
     * @throws OperatorError for an origin that is not `scheme://host[:port]`.
     * @throws ApiError `validation_error` for a name or a number of origins out of bounds, `conflict` when the store
     * has as many keys as it may.
     */
    createPublicKey(storeId: string, name: string, origins: string[]): OperatorsKey {
      const exact = [...new Set(origins.map(operatorsOrigin))]
      const problems = problemsOf(PublicKeyBody, { name, origins: exact }, 'body')
      if (problems.length > 0) throw validationError(problems)
      const { row, key } = add(
        { storeId, name, origins: exact, ratePerMinute: null, allowed: [...WIDGET_USES] },
        (details) => ({ ...byOperator, action: 'public_key.created', storeId, details }),
      )
      return { id: row.id, name, key, origins: exact }
    },

    /**
     * Makes a key; its value is in this answer and nowhere else.
     *
     * @throws ApiError `validation_error` for what is no origin, `permission_denied` for uses beyond the
     * actor's own permissions, `conflict` when the store has as many keys as it may.
     */
    create(actor: Actor, body: PublicKeyBody): NewPublicKey {
      const wanted = {
        storeId: actor.storeId,
        name: body.name,
        origins: exactOrigins(body.origins),
        ratePerMinute: body.rate_per_minute ?? null,
        allowed: usesOf(body.allowed ?? WIDGET_USES),
      }
      assertHolds(actor, wanted.allowed)
      const { row, key } = add(wanted, (details) => actOf(actor, 'public_key.created', details))
      return { ...view(row), key }
    },

    /** The store's keys, oldest first. */
    list(storeId: string): PublicKeyList {
      const public_keys = queries.ofStore(storeId).map(view)
      return { public_keys, count: public_keys.length }
    },

    /** @throws ApiError `not_found`. */
    read: (storeId: string, id: string): PublicKey => view(owned(storeId, id)),

    /**
     * Changes what the patch names.
     *
     * @throws ApiError `not_found`, `validation_error` for what is no origin, `permission_denied` for uses beyond the
     * actor's own permissions, old or new.
     */
    update(actor: Actor, id: string, patch: PublicKeyPatch): PublicKey {
      const origins = patch.origins && exactOrigins(patch.origins)
      return atomically(() => {
        const before = owned(actor.storeId, id)
        // Another page on its list would hand out what the key may do already.
        assertHolds(actor, before.allowed)
        const row: PublicKeyRow = {
          ...before,
          name: patch.name ?? before.name,
          origins: origins ?? before.origins,
          ratePerMinute: patch.rate_per_minute === undefined ? before.ratePerMinute : patch.rate_per_minute,
          allowed: patch.allowed ? usesOf(patch.allowed) : before.allowed,
        }
        assertHolds(actor, row.allowed)
        const changed = PATCHABLE.filter((field) => patch[field] !== undefined)
        if (changed.length > 0) {
          queries.update(row)
          record(actOf(actor, 'public_key.updated', { ...detailsOf(row), changed }))
        }
        return view(row)
      })
    },

    /** Ends a key at once, also one that may do more than the actor: a leaked key cannot wait. @throws ApiError `not_found`. */
    remove(actor: Actor, id: string): DeletedPublicKey {
      atomically(() => {
        const row = owned(actor.storeId, id)
        queries.remove(id)
        record(actOf(actor, 'public_key.deleted', detailsOf(row)))
      })
      return { status: 'deleted', id }
    },

    /** Number of keys of a store. */
    count: (storeId: string): number => queries.count(storeId),

    /**
     * Lets a widget's call in (spec §5.5).
     *
     * @param origin the Origin header as it came; null when there was none.
     * @throws ApiError `unauthorized` for an unknown key, `origin_missing`, `origin_not_allowed`, `permission_denied`
     * when the key is not meant for that use.
     */
    admit(key: string, origin: string | null, use: WidgetUse): AdmittedWidget {
      const row = queries.byHash(hashSecret(key))
      if (!isSecret(key, row?.keyHash) || !row) throw signInFirst()
      if (!origin) {
        throw new ApiError(
          'origin_missing',
          'The request carries no Origin: serve the page over http or https',
        )
      }
      // Sandboxed frames and files of any page send "null"; nobody can be told by it.
      if (origin === 'null' || !row.origins.includes(origin)) {
        throw new ApiError('origin_not_allowed', 'This origin is not on the list of the widget key')
      }
      if (!row.allowed.includes(use)) throw missingPermission(`widget:${use}`)
      return { keyId: row.id, storeId: row.storeId, ratePerMinute: row.ratePerMinute }
    },
  }
}

const PATCHABLE = ['name', 'origins', 'rate_per_minute', 'allowed'] as const

/** The permission that an actor needs to let a widget do it (D8). */
const PERMISSION_FOR: Readonly<Record<WidgetUse, Permission>> = {
  text: 'search:execute',
  upload: 'search:execute',
  url: 'search:execute',
  feedback: 'search:write',
}

/** @throws ApiError `permission_denied` naming the first permission that the actor lacks. */
function assertHolds(actor: Actor, uses: readonly WidgetUse[]): void {
  const lacking = uses.map((use) => PERMISSION_FOR[use]).find((permission) => !may(actor, permission))
  if (lacking !== undefined) throw missingPermission(lacking)
}

const byOperator = { actorKind: 'operator', userId: null, keyId: null, trace: null } as const

/** The origins as browsers send them, each once. @throws ApiError `validation_error` naming each that is none. */
function exactOrigins(origins: readonly string[]): string[] {
  const read = origins.map(exactOrigin)
  const problems = read.flatMap((origin, n) =>
    origin === undefined
      ? {
          in: 'body' as const,
          pointer: `/origins/${n}`,
          code: 'origin',
          message: `must be an exact origin: ${ORIGIN_FORM}`,
        }
      : [],
  )
  if (problems.length > 0) throw validationError(problems)
  return [...new Set(read.filter((origin) => origin !== undefined))]
}

/** An origin from the command line. */
function operatorsOrigin(text: string): string {
  const origin = exactOrigin(text)
  if (origin === undefined)
    throw new OperatorError(`"${text}" is not an origin; write it like https://shop.example`)
  return origin
}

/** Each use once, in the order of {@link WIDGET_USES}. */
const usesOf = (uses: readonly WidgetUse[]): WidgetUse[] => WIDGET_USES.filter((use) => uses.includes(use))

const tooManyKeys = () =>
  new ApiError('conflict', `A store may have ${KEYS_PER_STORE_MAX} widget keys`, {
    details: { limit: KEYS_PER_STORE_MAX },
  })

const detailsOf = ({ id, name, prefix, origins, ratePerMinute, allowed }: PublicKeyRow) => ({
  id,
  name,
  prefix,
  origins,
  rate_per_minute: ratePerMinute,
  allowed,
})

const view = ({ id, name, prefix, origins, ratePerMinute, allowed, createdAt }: PublicKeyRow): PublicKey => ({
  id,
  name,
  prefix,
  origins,
  rate_per_minute: ratePerMinute,
  allowed,
  forced_filters: null,
  created_at: isoTime(createdAt),
})
