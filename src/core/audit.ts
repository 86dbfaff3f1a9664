import type { Caller, Trace } from './actor.ts'

/** Every act that the audit log knows, and what it means. The names are a public contract. */
export const AUDIT_ACTIONS = {
  'account.verified': 'An account was activated.',
  'account.proven': 'Whoever has the mailbox of an account showed its password too.',
  'account.taken_over':
    'The owner of a mailbox took over an account that somebody else had opened: its second factor, keys and client secret ended.',
  'login.succeeded': 'A person signed in.',
  'login.failed': 'A sign-in of a known person failed.',
  'login.locked': 'Too many failed sign-ins locked a person out for a while.',
  'session.ended': 'A session was ended before its time.',
  'token.revoked': 'An access token was revoked.',
  'password.changed': 'A person changed the password.',
  'password.reset_requested': 'A link for a new password was asked for.',
  'password.reset': 'A password was set by a link or by the operator.',
  'two_factor.enabled': 'Two-factor authentication was switched on.',
  'two_factor.disabled': 'Two-factor authentication was switched off.',
  'two_factor.recovery_codes_renewed': 'A person made new recovery codes.',
  'two_factor.recovery_code_used': 'A person signed in with a recovery code.',
  'two_factor.reset': 'The operator switched two-factor authentication off.',
  'client_secret.refused': 'A wrong client secret was shown.',
  'client_secret.locked': 'Too many wrong client secrets locked the store’s machine grant out for a while.',
  'client_secret.rotated': 'The store got a new client secret.',
  'api_key.created': 'An API key was made.',
  'api_key.updated': 'An API key was changed.',
  'api_key.rotated': 'An API key got a new value.',
  'api_key.revoked': 'An API key was revoked.',
  'public_key.created': 'A widget key was made.',
  'public_key.updated': 'A widget key was changed.',
  'public_key.deleted': 'A widget key was deleted.',
  'ip_whitelist.added': 'An entry was put on the IP list.',
  'ip_whitelist.removed': 'An entry was taken off the IP list.',
  'ip_whitelist.cleared': 'The operator emptied the IP list.',
  'store.created': 'A store was made.',
  'store.plan_changed': 'A store was put on another plan.',
} as const satisfies Record<string, string>

export type AuditAction = keyof typeof AUDIT_ACTIONS

/** Who did something: a caller, the operator at the command line, or somebody who has not signed in. */
export type AuditActor = 'person' | 'machine' | 'key' | 'operator' | 'anyone'

/** One act for the audit log. Nothing secret goes into it. */
export interface AuditEvent {
  action: AuditAction
  actorKind: AuditActor
  /** null for what concerns a person and no store in particular. */
  storeId: string | null
  /** The person who acted or, for sign-ins and passwords, who is concerned. */
  userId: string | null
  keyId: string | null
  /** Small plain values: ids, names, no secrets. */
  details: Readonly<Record<string, unknown>>
  /** null at the command line. */
  trace: Trace | null
}

/** Writes one act down; meant to be called inside the transaction that does it. */
export type RecordEvent = (event: AuditEvent) => void

/** The event of a signed-in caller. */
export const actOf = (
  caller: Caller,
  action: AuditAction,
  details: AuditEvent['details'] = {},
): AuditEvent => ({
  action,
  actorKind: caller.kind,
  storeId: caller.storeId,
  userId: caller.userId,
  keyId: caller.keyId,
  details,
  trace: caller.trace,
})

/** Runs some writes as one transaction. */
export type Atomically = <Result>(work: () => Result) => Result
