import type { Caller, ClientInfo } from './actor.ts'

/** Every action in the audit log, with its meaning. The names are a public contract. */
export const AUDIT_ACTIONS = {
  'account.verified': 'An account was activated.',
  'account.proven': 'The owner of an account’s mailbox also proved knowledge of its password.',
  'account.taken_over':
    'The owner of a mailbox took over an account that someone else had opened. Its second factor, keys and client secret ended.',
  'account.email_change_requested': 'A person asked for another e-mail address.',
  'account.email_change_cancelled': 'A person cancelled the change of their e-mail address.',
  'account.email_changed': 'The e-mail address of an account changed, confirmed at both addresses.',
  'account.renamed': 'A person changed their name.',
  'account.exported': 'A person exported what the service holds about them.',
  'account.deleted': 'A person deleted their account, or the operator did.',
  'account.invited': 'The operator invited an address to register.',
  'account.super_admin_changed': 'The operator made a person a super-admin, or took that right away.',
  'membership.left': 'A person left the store.',
  'people_data.exported': 'All that the store holds about people was exported.',
  'shopper_session.erased': 'What was kept under a shopper’s session was erased.',
  'login.succeeded': 'A person signed in.',
  'login.failed': 'A sign-in of a known person failed.',
  'login.locked': 'Too many failed sign-ins locked a person out for a while.',
  'session.ended': 'A session ended before it expired.',
  'token.revoked': 'An access token was revoked.',
  'password.changed': 'A person changed their password.',
  'password.reset_requested': 'A link for a new password was requested.',
  'password.reset': 'A password was set through a link or by the operator.',
  'two_factor.enabled': 'Two-factor authentication was switched on.',
  'two_factor.disabled': 'Two-factor authentication was switched off.',
  'two_factor.recovery_codes_renewed': 'A person generated new recovery codes.',
  'two_factor.recovery_code_used': 'A person signed in with a recovery code.',
  'two_factor.reset': 'The operator switched two-factor authentication off.',
  'client_secret.refused': 'A wrong client secret was sent.',
  'client_secret.locked': 'Too many wrong client secrets locked the store’s machine grant out for a while.',
  'client_secret.rotated': 'The store received a new client secret.',
  'api_key.created': 'An API key was created.',
  'api_key.updated': 'An API key was changed.',
  'api_key.rotated': 'An API key received a new value.',
  'api_key.revoked': 'An API key was revoked.',
  'public_key.created': 'A widget key was created.',
  'public_key.updated': 'A widget key was changed.',
  'public_key.deleted': 'A widget key was deleted.',
  'ip_whitelist.added': 'An entry was added to the IP list.',
  'ip_whitelist.removed': 'An entry was removed from the IP list.',
  'ip_whitelist.cleared': 'The operator emptied the IP list.',
  'webhook.created': 'A webhook was created.',
  'webhook.updated': 'A webhook was changed.',
  'webhook.deleted': 'A webhook was deleted.',
  'webhook.secret_rotated': 'A webhook received a new signing secret.',
  'callback_secret.rotated': 'The store received a new secret for callbacks of jobs.',
  'search_rule.created': 'A rule for the results of searches was created.',
  'search_rule.updated': 'A rule for the results of searches was changed.',
  'search_rule.deleted': 'A rule for the results of searches was deleted.',
  'invite.created': 'A person was invited to the store.',
  'invite.cancelled': 'An invitation was cancelled.',
  'invite.accepted': 'An invitation was accepted, and its person joined the store.',
  'member.added': 'An account was created for a new member of the store.',
  'member.changed': 'The role or the groups of a member were changed.',
  'member.removed': 'A member was removed from the store.',
  'group.created': 'A group was created.',
  'group.updated': 'The name or the permissions of a group were changed.',
  'group.deleted': 'A group was deleted.',
  'store.created': 'A store was created.',
  'store.renamed': 'A store got another name.',
  'store.settings_changed': 'Settings of a store were changed.',
  'store.words_changed': 'The synonyms, redirects or ignored words of a store were changed.',
  'store.plan_changed': 'A store moved to another plan.',
  'billing.checkout_started': 'Someone asked for another plan.',
  'billing.checkout_confirmed': 'The operator confirmed that a store gets the plan it asked for.',
  'billing.confirmation_refused': 'Someone who is not a super-admin tried to confirm a plan.',
  'billing.portal_opened': 'Someone opened the page where the payments of a store are managed.',
  'billing.subscription_changed': 'The subscription of a store began, changed or ended.',
  'billing.invoice_issued': 'The store received an invoice.',
  'billing.invoice_settled': 'The operator marked an invoice as paid or void.',
  'store.suspended': 'The operator suspended a store.',
  'store.resumed': 'The operator ended the suspension of a store, and its deletion if one was planned.',
  'store.deletion_planned': 'The operator or an owner suspended a store and planned its deletion.',
  'store.deleted': 'A store was deleted for good.',
  'store.move_started': 'The operator began to move a store to another node.',
  'store.move_cancelled': 'The operator cancelled the move of a store to another node.',
  'store.move_failed': 'A move of a store to another node failed, and the store stays.',
  'store.moved': 'A store moved to another node, which serves it from then on.',
  'store.arrived': 'A store moved here from another node, and is served here from then on.',
  'node.invited':
    'The operator made a code with which another node may send a store, or a standby may get the secrets.',
  'node.secrets_sent': 'A standby got the secrets of the node with a code of the operator.',
  'account.unlocked': 'The operator deleted the count of a person’s failed sign-ins.',
  'mail.resent': 'The operator had a waiting mail sent again.',
  'mail.read': 'The operator read the text of a waiting mail.',
  'backup.started': 'A super-admin started a backup.',
  'model.fetch_started': 'The operator started the download of a model.',
  'model.fetch_cancelled': 'The operator cancelled the download of a model.',
  'model.move_started': 'The operator began to move the stores to another model, or to embed them again.',
  'model.move_cancelled': 'The operator cancelled the move to another model.',
  'model.confirmed': 'The operator kept the model in use, and the vectors of the former one were deleted.',
  'model.removed': 'The operator deleted the files of a model.',
  'store.opened_as_operator': 'A super-admin opened a store to act for it.',
  'super_admin.acted': 'A super-admin who is no member of the store changed something in it.',
} as const satisfies Record<string, string>

export type AuditAction = keyof typeof AUDIT_ACTIONS

/** Kind of actor: a caller, the operator at the command line or by the payment provider, or someone who has not signed in. */
export type AuditActor = 'person' | 'machine' | 'key' | 'operator' | 'anyone'

/** One entry for the audit log. It holds no secrets. */
export interface AuditEvent {
  action: AuditAction
  actorKind: AuditActor
  /** null when the event concerns a person and no particular store. */
  storeId: string | null
  /** The person who acted; for sign-ins and passwords, the person concerned. */
  userId: string | null
  keyId: string | null
  /** Small plain values: ids, names, no secrets. */
  details: Readonly<Record<string, unknown>>
  /** null at the command line. */
  clientInfo: ClientInfo | null
}

/** Records one event. Call it inside the transaction that makes the change. */
export type RecordEvent = (event: AuditEvent) => void

/** Whether a super-admin acts in a store without being a member of it. */
export const isForeignAct = ({ isSuperAdmin, storeId, role }: Caller): boolean =>
  isSuperAdmin && storeId !== null && role === null

/** Marks what a super-admin does by this power alone. */
const BY_SUPER_ADMIN = { by_super_admin: true }

/** Describes an action of a signed-in caller as an audit event. */
export const describeAct = (
  caller: Caller,
  action: AuditAction,
  details: AuditEvent['details'] = {},
): AuditEvent => ({
  action,
  actorKind: caller.kind,
  storeId: caller.storeId,
  userId: caller.userId,
  keyId: caller.keyId,
  details: isForeignAct(caller) ? { ...details, ...BY_SUPER_ADMIN } : details,
  clientInfo: caller.clientInfo,
})

/** The operator: a super-admin who calls the API, or null at the command line. */
export type Operator = Caller | null

/** Describes what the operator does to a store, or to the node where the store is null. */
export const describeOperation = (
  operator: Operator,
  storeId: string | null,
  action: AuditAction,
  details: AuditEvent['details'] = {},
): AuditEvent =>
  operator
    ? { ...describeAct(operator, action, { ...details, ...BY_SUPER_ADMIN }), storeId }
    : { action, actorKind: 'operator', storeId, userId: null, keyId: null, details, clientInfo: null }

/** Describes an act on a store for the audit log; the function knows who acts. */
export type DescribeStoreAct = (
  storeId: string,
  action: AuditAction,
  details: AuditEvent['details'],
) => AuditEvent

/** Describes what the operator does to stores. */
export const operatorAct =
  (operator: Operator): DescribeStoreAct =>
  (storeId, action, details) =>
    describeOperation(operator, storeId, action, details)

/**
 * Describes what the operator does to a person. The event stands under the person, as all about sign-ins and passwords do;
 * the details name the super-admin.
 */
export const describeOperationOn = (
  operator: Operator,
  userId: string,
  action: AuditAction,
  details: AuditEvent['details'] = {},
): AuditEvent => ({
  action,
  actorKind: 'operator',
  storeId: null,
  userId,
  keyId: null,
  details: { ...details, ...nameOperator(operator) },
  clientInfo: operator?.clientInfo ?? null,
})

/** Names a super-admin in the details of an event that stands under somebody else; nothing for the command line. */
export const nameOperator = (operator: Operator): AuditEvent['details'] =>
  operator ? { ...BY_SUPER_ADMIN, by_user_id: operator.userId } : {}

/** Runs some writes as one transaction. */
export type Atomically = <Result>(work: () => Result) => Result
