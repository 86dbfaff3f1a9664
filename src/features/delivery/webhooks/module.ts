import { Elysia } from 'elysia'
import { HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import type { EventOrigin, ReadChange } from '../../../core/events.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import { createPlaces } from '../../../platform/fair/places.ts'
import { OutboundError } from '../../../platform/outbound/failure.ts'
import type { Poster } from '../../../platform/outbound/poster.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base, Module } from '../../module.ts'
import type { MailOwners } from '../../stores/people/owner-mails.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import { askEgress, createHostCheck } from './addresses.ts'
import { createAttempts } from './attempts.ts'
import { createCallbacks } from './callbacks.ts'
import { deliveryService } from './deliveries.ts'
import { deliveryQueries } from './delivery-queries.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { webhookHealth } from './health.ts'
import { createInbox } from './inbox.ts'
import { webhookQueries } from './queries.ts'
import { createRecovery } from './recovery.ts'
import { callbackSecretRoutes, webhookRoutes } from './routes.ts'
import { createDeliveryScheduler } from './scheduler.ts'
import type { WebhookEvent } from './schema.ts'
import { secretQueries } from './secret-queries.ts'
import { signingSecrets } from './secrets.ts'
import { webhookService } from './service.ts'

export interface WebhookNeeds {
  storeRows: Pick<StoreQueries, 'findStore'>
  mailOwners: MailOwners
  secretBox: SecretBox
  poster: Poster
  /** Whether the webhooks of a store report changes that do not come from a client. */
  isSwitchedOn(storeId: string, origin: Exclude<EventOrigin, 'client'>): boolean
}

/** Each store looks names up for itself, so all of its places are its first ones. */
const LOOKUPS = {
  max: Infinity,
  perOwnerMax: LIMITS.webhookLookupsAtOnce,
  firstMax: LIMITS.webhookLookupsAtOnce,
  extraMax: 0,
}

/**
 * Wires webhooks and the callbacks of jobs.
 *
 * As a reader of the change log, it adds one delivery for each webhook that asks for the event, in the transaction of the
 * change. The delivery has only the number of the change: the data stands in the log alone. Other features `publish` their
 * events, and jobs call `sendCallback`, in transactions of their own.
 *
 * The scheduler sends what is due: after an event, at the next due time, and once a minute as a chore. Memory alone knows
 * which deliveries are in flight, because one process serves a data folder: whatever has no result after a kill is still
 * pending. Results are written without waiting for the disk, because a lost one means one more delivery with the same id.
 */
export function buildWebhooks(base: Base, needs: WebhookNeeds) {
  const { db, clock, ids, log, atomically, defer, withoutFsync } = base
  const { secretBox, poster, isSwitchedOn } = needs
  const webhooks = webhookQueries(db)
  const queries = deliveryQueries(db)
  const secrets = signingSecrets({ queries: secretQueries(db), secretBox, clock, ids })
  const attempts = createAttempts({
    deliveries: queries,
    webhooks,
    secrets,
    poster,
    clock,
    health: webhookHealth({ ...base, ...needs, webhooks }),
    write: (work) => withoutFsync(() => atomically(work)),
  })
  const { attempt } = attempts
  const { isStopping } = poster
  // A deleted store sends nothing.
  const isSuspended = (storeId: string) => needs.storeRows.findStore(storeId)?.suspendedAt !== null
  const scheduler = createDeliveryScheduler({
    queries,
    attempt,
    isStopping,
    isSuspended,
    gate: base.gate,
    clock,
    defer,
    log,
  })
  const deps = { ...base, queries, webhooks, attempts, scheduler, secrets, isSwitchedOn }
  const deliveries = deliveryService(deps)
  const { isTold } = deliveries
  const checkUrl = (url: string) => askEgress(() => poster.check(url))
  // A store whose names take long to look up keeps nobody else waiting.
  const lookups = createPlaces({
    limits: [LOOKUPS],
    waitMs: () => LIMITS.webhookLookupMs,
    failure: () => new OutboundError('timeout', 'Too many look-ups'),
  })
  const checkHost = createHostCheck((store, url) => lookups.run({ store }, () => poster.resolve(url)))
  const service = webhookService({
    ...base,
    queries: webhooks,
    secrets,
    checkUrl,
    checkHost,
    resume: (storeId, id) => scheduler.expect(id, storeId),
  })
  const callbacks = createCallbacks(deps)
  const recover = createRecovery({ ...deps, isTold })
  const listInbox = createInbox({ queries, attempts, isTold })

  const readChange: ReadChange = ({ storeId, number, event, origin }) => {
    if (isTold(storeId, origin)) deliveries.queue(storeId, event, { changeNumber: number })
  }

  return {
    service: {
      /** Queues the deliveries of a change, inside its transaction. */
      readChange,
      isAskedFor: deliveries.isAskedFor,
      /** Queues an event that is no change of a product. Call it inside the transaction that causes it. */
      publish: (storeId: string, event: WebhookEvent, data: Record<string, unknown>): void =>
        deliveries.queue(storeId, event, { data: JSON.stringify(data) }),
      /** Queues the callback of a job. Call it inside the transaction that ends the job. */
      sendCallback: callbacks.send,
      /** Finds the state of a job's callback; undefined before it is queued. */
      findCallback: callbacks.find,
      /** Checks the address of a callback before its job begins. @throws ApiError `url_not_allowed`. */
      checkCallbackUrl: checkUrl,
      /** The end of the secret that signs callbacks; null if none was needed yet. */
      readCallbackSecretHint: callbacks.readSecretHint,
      /** The secrets that sign, for the file of a store and its move to another node. */
      secrets: {
        findCurrent: (storeId: string, owner: string): string | undefined => secrets.read(storeId, owner)[0],
        create: secrets.create,
        open: secrets.open,
        seal: secrets.seal,
      },
      countByState: service.countByState,
      listInbox,
      listForOperator: deliveries.listForOperator,
      /** Finds the deliveries that wait, and sends those that are due. */
      poll: scheduler.poll,
      /** Sends what is due until nothing is. */
      drain: scheduler.drain,
    },
    routes: (guards: Guards) =>
      new Elysia({ name: 'webhooks' })
        .use(deliveryRoutes(guards, { findWebhook: service.findOwned, deliveries, recover, listInbox }))
        .use(webhookRoutes(guards, service))
        .use(callbackSecretRoutes(guards, service)),
    chores: [
      { name: 'sending webhooks', everyMs: MINUTE_MS, reach: 'steps', run: scheduler.poll },
      { name: 'deleting old deliveries', everyMs: HOUR_MS, run: deliveries.prune },
    ],
  } satisfies Module<object>
}
