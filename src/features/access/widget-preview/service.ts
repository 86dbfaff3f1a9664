import { type Actor, type ClientInfo, type Identity, may } from '../../../core/actor.ts'
import { type Clock, isoTime, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, missingPermission, notFound, signInFirst } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { createChecksummedKey } from '../../../core/keys.ts'
import { hashSecret, isSecret } from '../../../core/secrets.ts'
import { personNeeded } from '../../../http/auth.ts'
import type { PortalDoor } from '../../../http/portal-door.ts'
import { widgetSuspended } from '../../../http/suspension.ts'
import type { Widget } from '../../../http/widget-guard.ts'
import type { WidgetKeyQueries } from '../widget-keys/queries.ts'
import type { WidgetUse } from '../widget-keys/schema.ts'
import type { WidgetPreview } from './schema.ts'

export interface WidgetPreviewDeps {
  clock: Pick<Clock, 'now' | 'monotonic'>
  ids: Pick<Ids, 'secret'>
  keys: Pick<WidgetKeyQueries, 'findById'>
  /**
   * Finds the person of a sign-in again, in a store.
   *
   * @throws ApiError `unauthorized` once the sign-in has ended, `not_a_member`, `ip_not_allowed`.
   */
  findCallerOfSession(
    session: { sessionId: string; userId: string; slug: string },
    clientInfo: ClientInfo,
  ): Identity
  portalDoor: Pick<PortalDoor, 'findOwnOrigin'>
}

interface Preview {
  hash: Buffer
  keyId: string
  storeId: string
  slug: string
  userId: string
  sessionId: string
  /** Of the page that may use the key. */
  origin: string
  /** In ms of the monotonic clock. */
  endsAt: number
}

/** What a preview key begins with. */
const PREFIX = 'pk_preview_'

const LIFETIME_MS = 15 * MINUTE_MS

/** Keys of one sign-in, and of all of them; some 500 bytes each. The oldest makes room for a new one. */
const PER_SESSION_MAX = 10
const ALL_MAX = 10_000

export type WidgetPreviewService = ReturnType<typeof widgetPreviewService>

/**
 * Preview keys (contract 4.11): a person sees a widget key at work on a page of this service, before any shop has it. They
 * stand in memory alone, so a restart ends them.
 */
export function widgetPreviewService(deps: WidgetPreviewDeps) {
  const { clock, ids, keys, findCallerOfSession, portalDoor } = deps
  /** By the hash of the key, oldest first, which is also the order in which they end. */
  const previews = new Map<string, Preview>()

  function makeRoom(sessionId: string): void {
    const now = clock.monotonic()
    for (const [id, { endsAt }] of previews) {
      if (endsAt > now && previews.size < ALL_MAX) break
      previews.delete(id)
    }
    const own = [...previews].filter(([, preview]) => preview.sessionId === sessionId)
    for (const [id] of own.slice(0, Math.max(0, own.length + 1 - PER_SESSION_MAX))) previews.delete(id)
  }

  function find(key: string): Preview {
    const preview = previews.get(hashSecret(key).toString('hex'))
    if (!isSecret(key, preview?.hash) || !preview || preview.endsAt <= clock.monotonic()) throw signInFirst()
    return preview
  }

  return {
    /** Whether a text has the form of a preview key. */
    isPreview: (key: string): boolean => key.startsWith(PREFIX),

    /**
     * Makes a preview key of a widget key, which ends with the sign-in of the caller.
     *
     * @param request tells the origin of the page that asks, if it is one of this service.
     * @throws ApiError `not_found`, `permission_denied` without a sign-in or without `search:execute`.
     */
    create(actor: Actor, keyId: string, request: Request): WidgetPreview {
      const { storeId, store, userId, token } = actor
      if (!userId || !token?.sessionId) throw personNeeded()
      if (!keys.findById(storeId, keyId)) throw notFound('public_key')
      if (!may(actor, 'search:execute')) throw missingPermission('search:execute')
      makeRoom(token.sessionId)
      const key = createChecksummedKey(PREFIX, ids)
      const hash = hashSecret(key)
      const origin = portalDoor.findOwnOrigin(request)
      previews.set(hash.toString('hex'), {
        ...{ hash, keyId, storeId, slug: store.slug, userId, sessionId: token.sessionId, origin },
        endsAt: clock.monotonic() + LIFETIME_MS,
      })
      return {
        key,
        url: `${origin}/${store.slug}/portal/widget/preview#key=${key}`,
        expires_at: isoTime(clock.now() + LIFETIME_MS),
      }
    },

    /**
     * Admits a preview key from the page of this service. The sign-in, the rights of its person and the widget key are
     * looked up each time.
     *
     * @throws ApiError `unauthorized` for a key or a sign-in that has ended, `origin_missing`, `origin_not_allowed`,
     * `not_a_member`, `ip_not_allowed`, `store_suspended`, `permission_denied`.
     */
    admit(key: string, origin: string | null, use: WidgetUse, clientInfo: ClientInfo): Widget {
      const preview = find(key)
      if (!origin) throw new ApiError('origin_missing', 'The request has no Origin header')
      if (origin !== preview.origin)
        throw new ApiError(
          'origin_not_allowed',
          'A preview key works only on the preview page of this service',
        )
      const { userId, storeId, keyId } = preview
      const person = findCallerOfSession(preview, clientInfo)
      const row = keys.findById(storeId, keyId)
      if (!row || person.store?.id !== storeId) throw signInFirst()
      if (person.store.suspendedAt !== null) throw widgetSuspended()
      if (!may(person, 'search:execute')) throw missingPermission('search:execute')
      if (!row.allowed.includes(use)) throw missingPermission(`widget:${use}`)
      const { ratePerMinute, forcedFilters } = row
      return {
        ...{ keyId, storeId, plan: person.store.plan, ratePerMinute, forcedFilters, origin },
        previewer: { userId, storeId },
      }
    },

    forgetStore(storeId: string): void {
      for (const [id, preview] of previews) if (preview.storeId === storeId) previews.delete(id)
    },
  }
}
