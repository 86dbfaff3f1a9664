import { Elysia } from 'elysia'
import { HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import type { EventOrigin, ReadChange } from '../../../core/events.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Doors } from '../../../http/doors.ts'
import { OutboundError } from '../../../platform/outbound/failure.ts'
import type { Poster } from '../../../platform/outbound/poster.ts'
import { createHostSlots } from '../../../platform/pictures/host-slots.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base, Module } from '../../module.ts'
import type { MailOwners } from '../../stores/people/owner-mails.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import { askDoor, createHostCheck } from './addresses.ts'
import { createAttempts } from './attempts.ts'
import { createCallbacks } from './callbacks.ts'
import { deliveryService } from './deliveries.ts'
import { deliveryQueries } from './delivery-queries.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { webhookHealth } from './health.ts'
import { createInbox } from './inbox.ts'
import { createDeliveryLoop } from './loop.ts'
import { webhookQueries } from './queries.ts'
import { createRecovery } from './recovery.ts'
import { callbackSecretRoutes, webhookRoutes } from './routes.ts'
import type { WebhookEvent } from './schema.ts'
import { secretQueries } from './secret-queries.ts'
import { signingSecrets } from './secrets.ts'
import { webhookService } from './service.ts'

export interface WebhookNeeds {
  stores: Pick<StoreQueries, 'findStore'>
  mailOwners: MailOwners
  secretBox: SecretBox
  poster: Poster
  /** Whether webhooks of a store tell of changes that do not come from a client. */
  isSwitchedOn(storeId: string, origin: Exclude<EventOrigin, 'client'>): boolean
}

/** Each store looks names up for itself, so all of its places are its first ones. */
const LOOKUPS = {
  max: LIMITS.webhookLookupsAtOnce,
  perOwnerMax: LIMITS.webhookLookupsAtOnce,
  firstMax: LIMITS.webhookLookupsAtOnce,
  extraMax: 0,
}

/**
 * Wires webhooks and the callbacks of jobs. An event becomes deliveries inside its transaction; the loop sends them
 * afterwards, and writes what came of it.
 */
export function buildWebhooks(base: Base, needs: WebhookNeeds) {
  const { db, clock, ids, log, atomically, defer, withoutFsync } = base
  const { secretBox, poster, isSwitchedOn } = needs
  const webhooks = webhookQueries(db)
  const queries = deliveryQueries(db)
  const secrets = signingSecrets({ queries: secretQueries(db), secretBox, clock, ids })
  const attempts = createAttempts({
    ...{ deliveries: queries, webhooks, secrets, poster, clock },
    health: webhookHealth({ ...base, ...needs, webhooks }),
    write: (work) => withoutFsync(() => atomically(work)),
  })
  const { attempt } = attempts
  const { isStopping } = poster
  // A store that is there no more sends nothing either.
  const isSuspended = (storeId: string) => needs.stores.findStore(storeId)?.suspendedAt !== null
  const loop = createDeliveryLoop({ queries, attempt, isStopping, isSuspended, clock, defer, log })
  const deps = { ...base, queries, webhooks, attempts, loop, secrets, isSwitchedOn }
  const deliveries = deliveryService(deps)
  const { isTold } = deliveries
  const checkUrl = (url: string) => askDoor(() => poster.check(url))
  // A store whose names take long to look up keeps nobody else waiting.
  const lookups = createHostSlots({
    limits: LOOKUPS,
    waitMs: LIMITS.webhookLookupMs,
    onTooLong: () => new OutboundError('timeout', 'Too many look-ups'),
  })
  const checkHost = createHostCheck((storeId, url) =>
    lookups.run(storeId, storeId, () => poster.resolve(url)),
  )
  const service = webhookService({
    ...{ ...base, queries: webhooks, secrets, checkUrl, checkHost },
    resume: (storeId, id) => loop.expect(id, storeId),
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
      /** Finds what became of the callback of a job; undefined before it is queued. */
      findCallback: callbacks.find,
      /** Checks the address of a callback before its job begins. @throws ApiError `url_not_allowed`. */
      checkCallbackUrl: checkUrl,
      /** The end of the secret that signs callbacks; null if none was needed yet. */
      readCallbackSecretHint: callbacks.readSecretHint,
      countByState: service.countByState,
      listInbox,
      /** Looks what waits, and sends what is due. */
      look: loop.look,
      /** Sends what is due until nothing is. */
      settle: loop.settle,
    },
    routes: (doors: Doors) =>
      new Elysia({ name: 'webhooks' })
        .use(deliveryRoutes(doors, { findWebhook: service.findOwned, deliveries, recover, listInbox }))
        .use(webhookRoutes(doors, service))
        .use(callbackSecretRoutes(doors, service)),
    chores: [
      { name: 'sending webhooks', everyMs: MINUTE_MS, run: loop.look },
      { name: 'deleting old deliveries', everyMs: HOUR_MS, run: deliveries.prune },
    ],
  } satisfies Module<object>
}
