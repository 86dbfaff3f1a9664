import { type Actor, may, type Permission } from '../../../core/actor.ts'
import { type AuditEvent, describeAct } from '../../../core/audit.ts'
import { ApiError, missingPermission, notFound } from '../../../core/errors.ts'
import { createChecksummedKey } from '../../../core/keys.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { hashSecret } from '../../../core/secrets.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import { findProblems, validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import { KEYS_PER_STORE_MAX, PREFIX_CHARS } from '../api-keys/schema.ts'
import { type AdmissionDeps, createWidgetAdmission } from './admission.ts'
import { ORIGIN_FORM, readOrigin } from './origins.ts'
import type { CountedWidgetKey, WidgetKeyQueries, WidgetKeyRow } from './queries.ts'
import {
  type DeletedWidgetKey,
  FORCED_FILTERS_CHARS_MAX,
  WIDGET_USES,
  type WidgetKey,
  WidgetKeyBody,
  type WidgetKeyList,
  type WidgetKeyPatch,
  type WidgetUse,
} from './schema.ts'
import type { WidgetTraces } from './traces.ts'
import { createKeyView } from './views.ts'

export interface WidgetKeyDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  queries: WidgetKeyQueries
  /** @throws ApiError if the filter is invalid or empty. */
  checkFilters(input: unknown, pointer: string): void
  traces: WidgetTraces
  findMovedByKey: AdmissionDeps['findMovedByKey']
}

/** The output of `lookalike key create`. */
export interface CreatedWidgetKey {
  id: string
  name: string
  key: string
  origins: string[]
}

export type WidgetKeyService = ReturnType<typeof widgetKeyService>

/** Widget keys of stores: public, and bound to exact origins (contract 4.11). */
export function widgetKeyService(deps: WidgetKeyDeps) {
  const { queries, clock, ids, atomically, record, checkFilters, traces } = deps
  const view = createKeyView(traces)

  /** @throws ApiError `not_found`, also for a key of another store. */
  function findOwned(storeId: string, id: string): CountedWidgetKey {
    const row = queries.findById(storeId, id)
    if (!row) throw notFound('public_key')
    return row
  }

  /** @throws ApiError for filters that cannot be stored. */
  function readForcedFilters(filters: unknown): unknown {
    if (filters === null || filters === undefined) return null
    checkFilters(filters, '/forced_filters')
    if (JSON.stringify(filters).length > FORCED_FILTERS_CHARS_MAX) throw filtersTooLong()
    return filters
  }

  type Wanted = Omit<WidgetKeyRow, 'id' | 'key' | 'keyHash' | 'prefix' | 'createdAt'>

  function add(wanted: Wanted, describe: (details: AuditEvent['details']) => AuditEvent) {
    const key = createChecksummedKey('pk_live_', ids)
    const row: CountedWidgetKey = {
      ...wanted,
      id: ids.uuid(),
      key,
      keyHash: hashSecret(key),
      prefix: key.slice(0, PREFIX_CHARS),
      createdAt: clock.now(),
      refusedDay: 0,
      refused: 0,
    }
    atomically(() => {
      if (queries.count(row.storeId) >= KEYS_PER_STORE_MAX) throw tooManyKeys()
      queries.add(row)
      record(describe(listDetails(row)))
    })
    return row
  }

  return {
    /** Ends every key of a store. Call it inside a transaction. */
    removeByStore: queries.removeByStore,

    /**
     * Creates a key that allows everything, for the operator at the command line.
     *
     * @throws OperatorError for an origin that is not `scheme://host[:port]`.
     * @throws ApiError `validation_error` for a name or a number of origins out of bounds, `conflict` when the store
     * has the maximum number of keys.
     */
    createForOperator(storeId: string, name: string, origins: string[]): CreatedWidgetKey {
      const exact = [...new Set(origins.map(readOperatorOrigin))]
      const problems = findProblems(WidgetKeyBody, { name, origins: exact }, 'body')
      if (problems.length > 0) throw validationError(problems)
      const row = add(
        {
          storeId,
          name,
          origins: exact,
          ratePerMinute: null,
          allowed: [...WIDGET_USES],
          forcedFilters: null,
        },
        (details) => ({ ...byOperator, action: 'public_key.created', storeId, details }),
      )
      return { id: row.id, name, key: row.key ?? '', origins: exact }
    },

    /**
     * Creates a key.
     *
     * @throws ApiError `validation_error` for an invalid origin, the codes of filters, `permission_denied` for uses beyond
     * the actor's own permissions, `conflict` when the store has the maximum number of keys.
     */
    create(actor: Actor, body: WidgetKeyBody): WidgetKey {
      const wanted = {
        storeId: actor.storeId,
        name: body.name,
        origins: readOrigins(body.origins),
        ratePerMinute: body.rate_per_minute ?? null,
        allowed: sortUses(body.allowed ?? WIDGET_USES),
        forcedFilters: readForcedFilters(body.forced_filters),
      }
      assertHolds(actor, wanted.allowed)
      return view(add(wanted, (details) => describeAct(actor, 'public_key.created', details)))
    },

    /** Lists the store's keys, oldest first. */
    list(storeId: string): WidgetKeyList {
      const sightingsOf = traces.readStore(storeId)
      const public_keys = queries.listByStore(storeId).map((row) => view(row, sightingsOf))
      return { public_keys, count: public_keys.length }
    },

    /** @throws ApiError `not_found`. */
    read: (storeId: string, id: string): WidgetKey => view(findOwned(storeId, id)),

    /**
     * Changes the fields in the patch.
     *
     * @throws ApiError `not_found`, `validation_error` for an invalid origin, the codes of filters, `permission_denied` for
     * old or new uses beyond the actor's own permissions, `conflict`.
     */
    update(actor: Actor, id: string, patch: WidgetKeyPatch, ifMatch: string | null = null): WidgetKey {
      const origins = patch.origins && readOrigins(patch.origins)
      const forcedFilters = readForcedFilters(patch.forced_filters)
      return atomically(() => {
        const before = findOwned(actor.storeId, id)
        // A new origin would give another page the old uses, so the actor must hold them too.
        assertHolds(actor, before.allowed)
        demandVersion(ifMatch, tagOf(view(before)))
        const row = applyPatch(before, patch, { origins, forcedFilters })
        assertHolds(actor, row.allowed)
        const changed = PATCHABLE.filter((field) => patch[field] !== undefined)
        if (changed.length > 0) {
          queries.update(row)
          if (origins) traces.forgetUnlisted(id, before.origins, origins)
          record(describeAct(actor, 'public_key.updated', { ...listDetails(row), changed }))
        }
        return view(row)
      })
    },

    /** Ends a key at once, even one that may do more than the actor: a leaked key cannot wait. @throws ApiError `not_found`. */
    remove(actor: Actor, id: string): DeletedWidgetKey {
      atomically(() => {
        const row = findOwned(actor.storeId, id)
        queries.remove(id)
        record(describeAct(actor, 'public_key.deleted', listDetails(row)))
      })
      return { status: 'deleted', id }
    },

    /** Counts the keys of a store. */
    count: (storeId: string): number => queries.count(storeId),

    admit: createWidgetAdmission({ ...deps, noteRefusal: traces.refuse }),

    /** What was seen of the keys, and refused to them. */
    traces,
  }
}

/** @param read what the patch says of origins and filters, checked. */
const applyPatch = (
  before: CountedWidgetKey,
  patch: WidgetKeyPatch,
  read: { origins: string[] | undefined; forcedFilters: unknown },
): CountedWidgetKey => ({
  ...before,
  name: patch.name ?? before.name,
  origins: read.origins ?? before.origins,
  ratePerMinute: patch.rate_per_minute === undefined ? before.ratePerMinute : patch.rate_per_minute,
  allowed: patch.allowed ? sortUses(patch.allowed) : before.allowed,
  forcedFilters: patch.forced_filters === undefined ? before.forcedFilters : read.forcedFilters,
})

/** The version of what a form about a key shows. */
export const tagOf = (key: WidgetKey): string =>
  versionTag([key.name, key.origins, key.rate_per_minute, key.allowed, key.forced_filters])

const PATCHABLE = ['name', 'origins', 'rate_per_minute', 'allowed', 'forced_filters'] as const

/** The permission that an actor needs to grant each use to a widget (contract 4.11). */
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

const byOperator = { actorKind: 'operator', userId: null, keyId: null, clientInfo: null } as const

/** Reads origins in the form that browsers send, each once. @throws ApiError `validation_error` for each invalid one. */
function readOrigins(origins: readonly string[]): string[] {
  const read = origins.map(readOrigin)
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

/** Reads an origin from the command line. */
function readOperatorOrigin(text: string): string {
  const origin = readOrigin(text)
  if (origin === undefined)
    throw new OperatorError(`"${text}" is not an origin; write it like https://shop.example`)
  return origin
}

/** Sorts uses in the order of {@link WIDGET_USES}, each once. */
const sortUses = (uses: readonly WidgetUse[]): WidgetUse[] => WIDGET_USES.filter((use) => uses.includes(use))

const filtersTooLong = () =>
  validationError([
    {
      in: 'body',
      pointer: '/forced_filters',
      code: 'max_length',
      message: `must have at most ${FORCED_FILTERS_CHARS_MAX} characters as JSON`,
    },
  ])

const tooManyKeys = () =>
  new ApiError('conflict', `A store may have ${KEYS_PER_STORE_MAX} widget keys`, {
    details: { limit: KEYS_PER_STORE_MAX },
  })

/** The details of a key in the audit log, which never holds its value. */
const listDetails = (row: WidgetKeyRow) => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  origins: row.origins,
  rate_per_minute: row.ratePerMinute,
  allowed: row.allowed,
  ...(row.forcedFilters !== null && { forced_filters: row.forcedFilters }),
})
