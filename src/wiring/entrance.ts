import { createRequestBudget } from '../http/budgets/request-budget.ts'
import { createWidgetBudget } from '../http/budgets/widget-budget.ts'
import { createClientInfoReader } from '../http/client-info.ts'
import { createGuards } from '../http/guards.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { createIntake } from '../http/intake.ts'
import { createRequestGate } from '../http/write-gate.ts'
import type { Install } from '../install.ts'
import { createIdempotencyKeys } from '../platform/db/idempotency.ts'
import type { Embedder } from '../platform/embedder/embedder.ts'
import type { ModelSet } from '../platform/models/model-set.ts'
import type { Ports } from '../ports.ts'
import type { SignInWing } from './access.ts'
import type { BillingWing } from './billing.ts'

export type Entrance = ReturnType<typeof wireEntrance>

/** Builds what a request passes before a route sees it: memory for its body, its caller, and the budgets that it spends. */
export function wireEntrance(
  { foundation: { base, secretBox, gate }, stores, keys }: Install,
  {
    budget,
    operatorKey,
    mapToken,
    models,
  }: Pick<Ports, 'budget' | 'operatorKey'> & { mapToken: string; models: ModelSet },
  { signIn, widgetPreview, recentRequests }: SignInWing,
  { usage }: BillingWing,
  findAddress: (request: Request) => string,
) {
  const { db, clock, plans } = base
  const announcing: Pick<Embedder, 'announcePicture'> = {
    announcePicture: (bytes, options) => models.of(options.storeId).embedder.announcePicture(bytes, options),
  }
  const intake = createIntake(budget, announcing, { monotonic: clock.monotonic })
  const requests = createRequestBudget({ plans, clock, countCall: usage.service.countCall })
  const widgetBudget = createWidgetBudget(clock, plans)
  const idempotency = createIdempotency(
    {
      stores: createIdempotencyKeys(db, secretBox),
      people: createIdempotencyKeys(db, secretBox, 'person'),
    },
    clock,
  )
  const requestGate = createRequestGate(gate)
  const guards = createGuards({
    gate: requestGate,
    tokens: signIn.service.tokens,
    budgets: signIn.service.budgets,
    findCallerByToken: signIn.service.findCallerByToken,
    findCallerByKey: signIn.service.findCallerByKey,
    refuseForeignToken: signIn.service.refuseForeignToken,
    seenMoment: signIn.service.seenMoment,
    readMoment: signIn.service.readMoment,
    recordForeignAct: signIn.service.recordForeignAct,
    clock,
    readClientInfo: createClientInfoReader(findAddress),
    ownOrigin: () => new URL(base.baseUrl()).origin,
    spendRequest: requests.spend,
    spendEvents: requests.spendEvents,
    nameOwner: intake.intake.nameOwner,
    admitSetupCode: stores.setupCodes.demand,
    operatorKey,
    mapToken,
    nameCredential: recentRequests.calls.name,
    admitWidget: (key, origin, use, readClientInfo) =>
      widgetPreview.service.isPreview(key)
        ? widgetPreview.service.admit(key, origin, use, readClientInfo())
        : keys.widgetKeys.service.admit(key, origin, use),
    spendOfPerson: requests.spendSearchOfPerson,
    noteRefusal: keys.widgetKeys.service.traces.refuse,
    widgetBudget,
    findAddress,
    idempotency,
    readSuspension({ id }) {
      const state = stores.storeRows.findState(id)
      return { reason: state?.suspendedReason ?? null, deleteAt: state?.deleteAt ?? null }
    },
  })
  return {
    intake,
    guards,
    requestGate,
    idempotency,
    requests,
    /** Drops the budgets of a store. */
    forgetStore(storeId: string): void {
      requests.forgetStore(storeId)
      widgetBudget.forgetStore(storeId)
    },
  }
}
