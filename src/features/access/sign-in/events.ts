import type { ClientInfo } from '../../../core/actor.ts'
import type { AuditAction, AuditActor, AuditEvent } from '../../../core/audit.ts'

/** Describes an event of a person's sign-in for the audit log. */
export const signInEvent = (
  actorKind: AuditActor,
  action: AuditAction,
  userId: string,
  details: Record<string, unknown>,
  clientInfo: ClientInfo,
): AuditEvent => ({ action, actorKind, storeId: null, userId, keyId: null, details, clientInfo })
