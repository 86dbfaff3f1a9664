import { type DescribeStoreAct, operatorAct } from '../../../core/audit.ts'
import { DAY_MS, MINUTE_MS } from '../../../core/clock.ts'
import { signInFirst } from '../../../core/errors.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { isPlanName, type PlanName } from '../../../core/plans.ts'
import type {
  GatewayEvent,
  GatewayInvoice,
  GatewaySubscription,
  PaymentGateway,
} from '../../../platform/payments/gateway.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'
import type { PaymentQueries } from './queries.ts'
import type { EventTaken } from './schema.ts'
import type { SubscriptionQueries, SubscriptionRow } from './subscription-queries.ts'

export interface EventDeps extends Pick<Base, 'clock' | 'ids' | 'log' | 'atomically' | 'record'> {
  gateway: PaymentGateway | undefined
  queries: Pick<PaymentQueries, 'completeByPlan' | 'saveInvoice'>
  subscriptions: SubscriptionQueries
  storeRows: Pick<StoreQueries, 'findStore'>
  stores: Pick<StoreService, 'setPlan'>
}

/** The provider repeats an event for three days; a signature is good for five minutes. */
const EVENTS_KEPT_MS = 30 * DAY_MS
const SIGNATURE_MS = 5 * MINUTE_MS
const SIGNATURE_CHARS_MAX = 2_000
/** Stores whose second subscription one run of the chore ends. */
const SURPLUS_PER_RUN = 20

/** The payment provider acts for the operator. */
const byProvider: DescribeStoreAct = (storeId, action, details) =>
  operatorAct(null)(storeId, action, { ...details, provider: 'stripe' })

export type EventService = ReturnType<typeof eventService>

/**
 * Follows the provider's events (contract 6.8). An event only says what to look at: its subject is read anew from the
 * provider, so it makes no difference in which order events come.
 */
export function eventService(deps: EventDeps) {
  const { gateway, queries, subscriptions, storeRows, stores, clock, ids, atomically, record, log } = deps
  /** One subject at a time, so that of two answers of the provider the later one is written last. */
  const inTurn = createKeyedLock()

  /** @returns undefined for a subscription to something else, or of a store that is gone. */
  function toRow(found: GatewaySubscription): SubscriptionRow | undefined {
    const storeId = subscriptions.find(found.id)?.storeId ?? found.storeId
    const { plan = '', ...rest } = found
    if (storeId === undefined || !isPlanName(plan) || !storeRows.findStore(storeId)) return undefined
    const { id, customer, status, isLive, willEnd, createdAt, periodEnd } = rest
    return { id, storeId, plan, customer, status, isLive, willEnd, createdAt, periodEnd }
  }

  /** Gives the store the plan of its newest subscription, when that has changed. What the operator sets meanwhile stays. */
  function follow(
    storeId: string,
    before: SubscriptionRow | undefined,
    after: SubscriptionRow | undefined,
  ): void {
    if (before?.plan === after?.plan) return
    const plan: PlanName = after?.plan ?? 'free'
    const present = storeRows.findStore(storeId)
    if (!present || present.plan === plan) return
    stores.setPlan(storeId, plan, byProvider)
  }

  /** Writes what the provider said, in the caller's transaction. */
  function save(row: SubscriptionRow): void {
    const { storeId } = row
    const known = subscriptions.find(row.id)
    const [before] = subscriptions.listLive(storeId)
    subscriptions.save(row)
    const [after] = subscriptions.listLive(storeId)
    follow(storeId, before, after)
    if (after) queries.completeByPlan(storeId, after.plan, clock.now())
    else if (before) queries.completeByPlan(storeId, 'free', clock.now())
    if (known?.status === row.status && known.willEnd === row.willEnd && known.plan === row.plan) return
    const { id: subscription_id, plan, status, willEnd: will_end } = row
    record(byProvider(storeId, 'billing.subscription_changed', { subscription_id, plan, status, will_end }))
  }

  /** Reads a subscription and writes what was found. @param done joins the transaction. */
  const readSubscription = (
    pay: PaymentGateway,
    id: string,
    done: () => void,
  ): Promise<SubscriptionRow | undefined> =>
    inTurn(id, async () => {
      const found = await pay.readSubscription(id)
      const row = found && toRow(found)
      atomically(() => {
        if (row) save(row)
        done()
      })
      if (row) await endSurplus(pay, row.storeId)
      return row
    })

  /** Ends the older subscriptions of a store that has got a new one. A failure is left to the next run of the chore. */
  async function endSurplus(pay: PaymentGateway, storeId: string): Promise<void> {
    for (const { id } of subscriptions.listLive(storeId).slice(1)) {
      try {
        await pay.endSubscription(id)
        subscriptions.end(id)
      } catch (err) {
        log.warn({ err, subscription: id }, 'could not end a replaced subscription')
      }
    }
  }

  const readInvoice = (pay: PaymentGateway, id: string, done: () => void): Promise<void> =>
    inTurn(id, async () => {
      const found = await pay.readInvoice(id)
      const payer = found?.subscription === undefined ? undefined : await findPayer(pay, found.subscription)
      atomically(() => {
        if (found && payer) saveInvoice(found, payer)
        done()
      })
    })

  /** The invoice of a subscription may come before the subscription itself. */
  const findPayer = async (pay: PaymentGateway, id: string): Promise<SubscriptionRow | undefined> =>
    subscriptions.find(id) ?? readSubscription(pay, id, () => {})

  function saveInvoice(
    { status, url, id, ...found }: GatewayInvoice,
    { storeId, plan }: SubscriptionRow,
  ): void {
    if (status === null || !storeRows.findStore(storeId)) return
    const { number, amountCents, currency, issuedAt, settledAt, periodStart, periodEnd } = found
    queries.saveInvoice({
      ...{ id: ids.uuid(), storeId, provider: 'stripe', providerId: id, checkoutId: null, number, plan },
      ...{ amountCents, currency, status, address: url, periodStart, periodEnd, issuedAt, settledAt },
    })
  }

  async function handle(pay: PaymentGateway, { id, subject }: GatewayEvent): Promise<void> {
    const done = () => subscriptions.addEvent(id, clock.now())
    if (subject.kind === 'invoice') await readInvoice(pay, subject.id, done)
    if (subject.kind === 'subscription') await readSubscription(pay, subject.id, done)
    if (subject.kind === 'checkout' && subject.subscription !== undefined)
      await readSubscription(pay, subject.subscription, done)
  }

  return {
    /**
     * Checks, before the body is read, whether the header may hold a recent signature. It does not check who signed.
     */
    isPlausible(signature: string): boolean {
      const [, seconds] = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature.slice(0, SIGNATURE_CHARS_MAX)) ?? []
      return gateway !== undefined && Number(seconds) * 1000 >= clock.now() - SIGNATURE_MS - 1000
    },

    /**
     * POST /v1/billing/stripe/webhook. An event that fails comes again.
     *
     * @throws ApiError `unauthorized` for a message that is not signed, or too long ago; `invalid_json`, `invalid_request`,
     *   `billing_unavailable`.
     */
    async receive(body: string, signature: string): Promise<EventTaken> {
      const event = gateway && (await gateway.readEvent(body, signature, clock.now()))
      if (!gateway || !event) throw signInFirst()
      // Two deliveries of one event at a time wait for each other.
      return inTurn(`event ${event.id}`, async () => {
        const duplicate = subscriptions.hasEvent(event.id)
        if (!duplicate) await handle(gateway, event)
        return { received: true, duplicate }
      })
    },

    /** Ends what could not be ended when it was replaced. */
    async tidy(): Promise<void> {
      subscriptions.pruneEvents(clock.now() - EVENTS_KEPT_MS)
      if (!gateway) return
      for (const storeId of subscriptions.listSurplus(SURPLUS_PER_RUN)) await endSurplus(gateway, storeId)
    },

    /** Ends every subscription of a store, as before the store is deleted. @throws ApiError `billing_unavailable`. */
    async endAll(storeId: string): Promise<void> {
      for (const { id } of subscriptions.listLive(storeId)) {
        await gateway?.endSubscription(id)
        subscriptions.end(id)
      }
    },
  }
}
