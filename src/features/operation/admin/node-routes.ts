import { Elysia } from 'elysia'
import { noBody } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { AdminDoctor } from './doctor-schema.ts'
import type { AdminNodeService } from './node.ts'
import {
  AdminHealth,
  AdminPlans,
  AdminSettings,
  IdParams,
  MailResent,
  NodeAuditLog,
  NodeAuditQuery,
  OutboxList,
  OutboxQuery,
  WaitingMailText,
} from './schema.ts'

const READ = [...FOR_SUPER_ADMIN, ...READING] as const
const LIST = [...READ, 'validation_error', 'invalid_cursor'] as const

/** Contract 8.12: the service itself, for super-admins. */
export function adminNodeRoutes({ forSuperAdmin }: Pick<Guards, 'forSuperAdmin'>, node: AdminNodeService) {
  return new Elysia({ name: 'admin.node', prefix: '/v1/admin', tags: ['Operator'] })
    .use(forSuperAdmin)
    .get('/plans', () => node.listPlans(), {
      superAdmin: true,
      response: { 200: AdminPlans, ...failures(...READ) },
      detail: {
        operationId: 'listPlansAsOperator',
        summary: 'List the plans and how many stores each has',
        description: 'The limits and the price of each plan, and how many stores are on it.',
      },
    })
    .get('/outbox', ({ query }) => node.listMails(query), {
      superAdmin: true,
      query: OutboxQuery,
      response: { 200: OutboxList, ...failures(...LIST) },
      detail: {
        operationId: 'listWaitingMails',
        summary: 'List the mails that could not be sent',
        description:
          'Mails that could not be sent yet, with the last answer of the mail server and without their texts.',
      },
    })
    .get('/outbox/:id', ({ caller, params }) => node.readMail(caller, params.id), {
      superAdmin: true,
      params: IdParams,
      response: {
        200: WaitingMailText,
        ...failures(...FOR_SUPER_ADMIN, ...WRITING, 'validation_error', [
          'not_found',
          'No mail with this id waits.',
        ]),
      },
      detail: {
        operationId: 'readWaitingMail',
        summary: 'Read a waiting mail with its text and its link',
        description:
          'To hand the link over by another way, where no mail leaves. The link may open an account, so the log of the node names you.',
      },
    })
    .post('/outbox/:id/resend', ({ caller, params }) => node.resend(caller, params.id), {
      superAdmin: true,
      parse: noBody,
      params: IdParams,
      response: {
        200: MailResent,
        ...failures(...FOR_SUPER_ADMIN, ...WRITING, 'validation_error', [
          'not_found',
          'No mail with this id waits.',
        ]),
      },
      detail: {
        operationId: 'resendMail',
        summary: 'Try to send a waiting mail now',
        description: 'Tries to send the mail at once instead of at its next turn.',
      },
    })
    .get('/health', () => node.readHealth(), {
      superAdmin: true,
      response: { 200: AdminHealth, ...failures(...READ) },
      detail: {
        operationId: 'getHealthAsOperator',
        summary: 'Read the readiness, the work that waits, and the disk',
        description:
          'Every check of `/health/ready` with its reason, and what the node is doing: jobs, webhooks, mails and disk.',
      },
    })
    .get('/doctor', () => node.readDoctor(), {
      superAdmin: true,
      response: { 200: AdminDoctor, ...failures(...READ) },
      detail: {
        operationId: 'runDoctor',
        summary: 'Check settings, disk, service, clock, addresses, mail, webhooks, feeds and backups',
        description:
          'What `lookalike doctor` finds beside a running service, without what takes long: it does not read the whole database. It asks the mail server and the public address, so it may take some seconds.',
      },
    })
    .get('/settings', () => node.listSettings(), {
      superAdmin: true,
      response: { 200: AdminSettings, ...failures(...READ) },
      detail: {
        operationId: 'listSettings',
        summary: 'List the settings as running, with their sources and without secrets',
        description: 'Every setting as it is in use, with where it comes from. Secrets are never shown.',
      },
    })
    .get('/audit', ({ query }) => node.listAudit(query), {
      superAdmin: true,
      query: NodeAuditQuery,
      response: { 200: NodeAuditLog, ...failures(...LIST) },
      detail: {
        operationId: 'listNodeAuditEvents',
        summary: 'List the events that concern no store, or those of one store',
        description: 'Events that concern no store, or the log of one store, the newest first.',
      },
    })
}
