import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import type { CheckHost } from './addresses.ts'
import type { WebhookQueries, WebhookRow } from './queries.ts'
import {
  type DeletedWebhook,
  type NewSecret,
  type NewWebhook,
  type SecretRotation,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookBody,
  type WebhookPatch,
} from './schema.ts'
import { CALLBACKS } from './secret-queries.ts'
import type { SigningSecrets } from './secrets.ts'
import { isWellFormed, toStandardSecret } from './signatures.ts'

export interface WebhookDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  queries: WebhookQueries
  secrets: SigningSecrets
  /** @throws ApiError `url_not_allowed`. */
  checkUrl(url: string): void
  /** Looks the host up. @returns warnings. @throws ApiError `url_not_allowed`. */
  checkHost: CheckHost
  /** Its waiting deliveries may go out again. */
  resume(storeId: string, id: string): void
}

export type WebhookService = ReturnType<typeof webhookService>

/** Webhooks of stores and the secrets that sign for them (contract 9.2, 9.4). */
export function webhookService(deps: WebhookDeps) {
  const { queries, secrets, checkUrl, checkHost, clock, ids, atomically, record } = deps

  /** @throws ApiError `not_found`, also for a webhook of another store. */
  function findOwned(storeId: string, id: string): WebhookRow {
    const row = queries.find(storeId, id)
    if (!row) throw notFound('webhook')
    return row
  }

  const view = (row: WebhookRow): Webhook => toWebhook(row, secrets.readHint(row.storeId, row.id) ?? '')

  function rotate(storeId: string, owner: string, { grace_seconds }: SecretRotation): NewSecret {
    const grace = grace_seconds ?? LIMITS.secretGraceSecondsDefault
    const { secret, endsAt } = secrets.rotate(storeId, owner, grace)
    return {
      secret,
      standard_secret: toStandardSecret(secret),
      secret_hint: secrets.readHint(storeId, owner) ?? '',
      previous_valid_until: endsAt === null ? null : isoTime(endsAt),
    }
  }

  return {
    /** @throws ApiError `not_found`, also for a webhook of another store. */
    findOwned,

    /**
     * Creates a webhook. The secret is not part of the answer: see {@link withSecret}.
     *
     * @throws ApiError `url_not_allowed`, `validation_error` for a secret that is not what its prefix says, `conflict`
     *   when the store has the maximum number of webhooks.
     */
    async create(actor: Actor, body: WebhookBody): Promise<Webhook> {
      const { storeId } = actor
      checkUrl(body.url)
      if (body.secret !== undefined && !isWellFormed(body.secret)) throw malformedSecret()
      const warnings = await checkHost(storeId, body.url)
      const now = clock.now()
      const enabled = body.enabled ?? true
      const row: WebhookRow = {
        id: ids.uuid(),
        storeId,
        url: body.url,
        events: sortEvents(body.events),
        description: body.description ?? null,
        enabled,
        disabledReason: enabled ? null : 'requested',
        consecutiveFailures: 0,
        failingSince: null,
        lastDeliveryAt: null,
        lastStatus: null,
        createdAt: now,
        updatedAt: now,
      }
      atomically(() => {
        // The look-up took a while.
        actor.demandStill()
        if (queries.listByStore(storeId).length >= LIMITS.webhooksPerStoreMax) throw tooMany()
        queries.add(row)
        secrets.create(storeId, row.id, body.secret)
        record(describeAct(actor, 'webhook.created', listDetails(row)))
      })
      return { ...view(row), ...(warnings.length > 0 && { warnings }) }
    },

    /** Adds the present secret to a webhook that was just created. */
    withSecret(storeId: string, webhook: Webhook): NewWebhook {
      const [secret = null] = queries.find(storeId, webhook.id) ? secrets.read(storeId, webhook.id) : []
      return { ...webhook, secret, standard_secret: secret === null ? null : toStandardSecret(secret) }
    },

    /** Lists the webhooks of a store, oldest first. */
    list: (storeId: string): Webhook[] => queries.listByStore(storeId).map(view),

    /** @throws ApiError `not_found`. */
    read: (storeId: string, id: string): Webhook => view(findOwned(storeId, id)),

    /**
     * Changes the fields in the patch. Another address or switching it on forgets the failures so far.
     *
     * @throws ApiError `not_found`, `url_not_allowed`.
     */
    async update(
      actor: Actor,
      id: string,
      patch: WebhookPatch,
      ifMatch: string | null = null,
    ): Promise<Webhook> {
      if (patch.url !== undefined) checkUrl(patch.url)
      findOwned(actor.storeId, id)
      const warnings = patch.url === undefined ? [] : await checkHost(actor.storeId, patch.url)
      const updated = atomically(() => {
        actor.demandStill()
        const before = findOwned(actor.storeId, id)
        demandVersion(ifMatch, tagOf(before))
        const changed = PATCHABLE.filter((field) => patch[field] !== undefined)
        if (changed.length === 0) return view(before)
        const { row, isFresh } = applyPatch(before, patch, clock.now())
        queries.update(row)
        record(describeAct(actor, 'webhook.updated', { ...listDetails(row), changed }))
        if (isFresh && row.enabled) deps.resume(row.storeId, id)
        return view(row)
      })
      return { ...updated, ...(warnings.length > 0 && { warnings }) }
    },

    /** Deletes a webhook; nothing more is sent to it, and its log goes soon. @throws ApiError `not_found`. */
    remove(actor: Actor, id: string): DeletedWebhook {
      atomically(() => {
        const row = findOwned(actor.storeId, id)
        queries.markDeleted(row.storeId, id, clock.now())
        secrets.remove(row.storeId, id)
        record(describeAct(actor, 'webhook.deleted', listDetails(row)))
      })
      return { status: 'deleted', id }
    },

    /** Replaces the secret of a webhook; the old one goes on signing for a while. @throws ApiError `not_found`. */
    rotateSecret: (actor: Actor, id: string, rotation: SecretRotation): NewSecret =>
      atomically(() => {
        const row = findOwned(actor.storeId, id)
        record(describeAct(actor, 'webhook.secret_rotated', listDetails(row)))
        return rotate(actor.storeId, id, rotation)
      }),

    /** Replaces the secret that signs the callbacks of a store, or makes the first one. */
    rotateCallbackSecret: (actor: Actor, rotation: SecretRotation): NewSecret =>
      atomically(() => {
        record(describeAct(actor, 'callback_secret.rotated'))
        return rotate(actor.storeId, CALLBACKS, rotation)
      }),

    /** Counts the webhooks that are on, and those whose last attempt failed or that were disabled for it. */
    countByState(storeId: string): { active: number; failing: number } {
      const rows = queries.listByStore(storeId)
      return {
        active: rows.filter(({ enabled }) => enabled).length,
        failing: rows.filter(isFailing).length,
      }
    },
  }
}

/** @returns the changed webhook, and whether its failures so far tell nothing of it. @param now Unix ms. */
function applyPatch(
  before: WebhookRow,
  patch: WebhookPatch,
  now: number,
): { row: WebhookRow; isFresh: boolean } {
  const enabled = patch.enabled ?? before.enabled
  const url = patch.url ?? before.url
  const isFresh = url !== before.url || (enabled && !before.enabled)
  const row: WebhookRow = {
    ...before,
    url,
    enabled,
    events: patch.events ? sortEvents(patch.events) : before.events,
    description: patch.description === undefined ? before.description : patch.description,
    disabledReason: enabled ? null : (before.disabledReason ?? 'requested'),
    ...(isFresh && { consecutiveFailures: 0, failingSince: null }),
    updatedAt: now,
  }
  return { row, isFresh }
}

/** The version of what a form about a webhook shows. */
export const tagOf = ({
  url,
  events,
  description,
  enabled,
}: Pick<Webhook, (typeof PATCHABLE)[number]>): string => versionTag([url, events, description, enabled])

const toWebhook = (row: WebhookRow, secretHint: string): Webhook => ({
  id: row.id,
  url: row.url,
  events: row.events,
  description: row.description,
  enabled: row.enabled,
  created_at: isoTime(row.createdAt),
  updated_at: isoTime(row.updatedAt),
  secret_hint: secretHint,
  api_version: 'v1',
  consecutive_failures: row.consecutiveFailures,
  last_delivery_at: row.lastDeliveryAt === null ? null : isoTime(row.lastDeliveryAt),
  last_status: row.lastStatus,
  disabled_reason: row.disabledReason,
})

const PATCHABLE = ['url', 'events', 'description', 'enabled'] as const

const isFailing = ({ enabled, disabledReason, consecutiveFailures }: WebhookRow): boolean =>
  enabled ? consecutiveFailures > 0 : disabledReason !== 'requested'

/** Sorts events in the order of {@link WEBHOOK_EVENTS}, each once. */
const sortEvents = (events: WebhookRow['events']) => WEBHOOK_EVENTS.filter((event) => events.includes(event))

/** For the audit log. An address may carry a secret in its path or query. */
const listDetails = ({ id, url, events, enabled }: WebhookRow) => ({
  id,
  host: new URL(url).host,
  events,
  enabled,
})

const tooMany = () =>
  new ApiError('conflict', `A store may have ${LIMITS.webhooksPerStoreMax} webhooks`, {
    details: { limit: LIMITS.webhooksPerStoreMax },
  })

const malformedSecret = () =>
  validationError([
    { in: 'body', pointer: '/secret', code: 'format', message: 'must go on in base64 after whsec_' },
  ])
