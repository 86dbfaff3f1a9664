import type { Caller } from '../../../core/actor.ts'
import { describeOperation } from '../../../core/audit.ts'
import { notFound } from '../../../core/errors.ts'
import { limitOrNull, PLAN_NAMES } from '../../../core/plans.ts'
import { shareRun } from '../../../core/share-run.ts'
import type { AuditService } from '../../access/audit/service.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { HealthService } from '../health/service.ts'
import type { AdminDoctor } from './doctor-schema.ts'
import type { AdminNodeQueries } from './node-queries.ts'
import { createPages } from './pages.ts'
import type {
  AdminHealth,
  AdminPlans,
  AdminSettings,
  MailResent,
  OutboxList,
  OutboxQuery,
  WaitingMailText,
} from './schema.ts'

export interface AdminNodeDeps extends Pick<Base, 'clock' | 'atomically' | 'record' | 'plans'> {
  queries: AdminNodeQueries
  outbox: Pick<OutboxService, 'isConfigured' | 'listPage' | 'read' | 'count' | 'resend'>
  health: Pick<HealthService, 'checkReadiness' | 'readVersion'>
  listAudit: AuditService['listForOperator']
  readFreeDiskShare(): Promise<number>
  /** Bytes of memory of this process. */
  readMemoryBytes(): number
  /** Looks through settings, folder, disk, service, clock and mail, as `lookalike doctor` does. */
  examine(): Promise<AdminDoctor['checks']>
  /** The settings as running, without secrets. */
  settings: AdminSettings['settings']
}

/** The first link of a text. */
const LINK = /https?:\/\/[^\s<>"]+/

const readMails = createPages('admin_outbox')

export type AdminNodeService = ReturnType<typeof adminNodeService>

/** The service itself, for super-admins. */
export function adminNodeService(deps: AdminNodeDeps) {
  const { queries, outbox, health, clock, atomically, record } = deps
  const startedAt = clock.monotonic()
  const examine = shareRun(deps.examine)

  return {
    listPlans(): AdminPlans {
      const stores = queries.countByPlan()
      return {
        plans: PLAN_NAMES.map((plan_name) => {
          const plan = deps.plans[plan_name]
          return {
            plan_name,
            title: plan.title ?? plan_name,
            price_per_month: plan.pricePerMonth,
            currency: deps.plans.currency,
            max_products: limitOrNull(plan.productsMax),
            rate_per_minute: limitOrNull(plan.requestsPerMinute),
            widget_rate_per_minute: limitOrNull(plan.widgetRequestsPerMinute),
            storage_bytes: limitOrNull(plan.storageBytesMax),
            stores: stores.get(plan_name) ?? 0,
          }
        }),
      }
    },

    /** Lists the mails that wait. @throws ApiError `invalid_cursor`. */
    listMails(page: OutboxQuery): OutboxList {
      const { rows, nextCursor } = readMails(page, outbox.listPage)
      return {
        mails: rows,
        count: rows.length,
        waiting: outbox.count(),
        is_configured: outbox.isConfigured,
        next_cursor: nextCursor,
      }
    },

    /** Shows a mail with its text, and says so in the log: its link may open an account. @throws ApiError `not_found`. */
    readMail: (by: Caller, id: string): WaitingMailText =>
      atomically(() => {
        const mail = outbox.read(id)
        if (!mail) throw notFound('mail')
        record(describeOperation(by, null, 'mail.read', { mail_id: id, recipient: mail.recipient }))
        return { ...mail, link: mail.text?.match(LINK)?.[0] ?? null }
      }),

    /** What the doctor finds. Several who ask at a time get the same answer. */
    async readDoctor(): Promise<AdminDoctor> {
      const checks = await examine()
      return { is_ok: checks.every(({ state }) => state !== 'error'), checks }
    },

    /** Tries to send a mail now. @throws ApiError `not_found`, also for one that was delivered. */
    async resend(by: Caller, id: string): Promise<MailResent> {
      const sent = await outbox.resend(id)
      if (!sent) throw notFound('mail')
      atomically(() => record(describeOperation(by, null, 'mail.resent', { mail_id: id, sent: sent.isSent })))
      return sent.isSent
        ? { status: 'delivered', last_error: null }
        : { status: 'waiting', last_error: sent.lastError }
    },

    async readHealth(): Promise<AdminHealth> {
      const { status, checks } = await health.checkReadiness()
      const { version, schema } = health.readVersion()
      const counts = queries.count()
      return {
        status,
        checks,
        version,
        schema,
        uptime_seconds: Math.floor((clock.monotonic() - startedAt) / 1000),
        memory_bytes: deps.readMemoryBytes(),
        disk: {
          free_share: await deps.readFreeDiskShare().catch(() => null),
          database_bytes: counts.databaseBytes,
        },
        stores: {
          active: counts.active,
          suspended: counts.suspended,
          deletion_planned: counts.deletionPlanned,
        },
        jobs: { running: counts.jobs, items_waiting: counts.items },
        webhooks: { backlog: counts.deliveries },
        mails: { waiting: outbox.count(), is_configured: outbox.isConfigured },
      }
    },

    listSettings: (): AdminSettings => ({ settings: deps.settings }),

    listAudit: deps.listAudit,
  }
}
