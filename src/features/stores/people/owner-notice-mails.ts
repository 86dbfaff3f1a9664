import { formatUtc } from '../../../core/mail-text.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

/** The changes that a store's owners get a mail about. */
export type NoticeKind = 'client_secret_rotated' | 'ip_list_forced' | 'ip_list_switched' | 'api_key_made'

export interface NoticeFacts {
  kind: NoticeKind
  /** Of the store. The mail leaves out the store's name and the names of keys, because a stranger may have typed them. */
  slug: string
  /** E-mail address of the person who made the change; undefined for the machine grant. */
  by: string | undefined
  /** Unix ms. */
  at: number
  /** Network address that the change came from. */
  address: string
  baseUrl: string
  /** The end of a pause for mails of this kind, in Unix ms; undefined if the next change is mailed too. */
  silentUntil: number | undefined
}

interface Words {
  subject(slug: string): string
  /** The change, after its time: "the client secret … was changed". */
  event(slug: string): string
  consequence: string
  remedy(slug: string): string
}

const SIGN_IN = 'sign in with your password'

const WORDS: Readonly<Record<NoticeKind, Words>> = {
  client_secret_rotated: {
    subject: (slug) => `The client secret of ${slug} was changed`,
    event: (slug) => `the client secret of your store ${slug} was changed`,
    consequence:
      'The old secret and the access tokens created with it no longer work. Programs that still use them can no longer reach the store.',
    remedy: () =>
      `${SIGN_IN} and create another client secret (POST /v1/security/client-secret/rotate). The one that someone else has then stops working.`,
  },
  ip_list_forced: {
    subject: (slug) => `The IP list of ${slug} was changed by force`,
    event: (slug) => `the IP list of your store ${slug} was changed`,
    consequence:
      'The change came from an address that the changed list does not contain, so it had to be forced.',
    remedy: (slug) =>
      `${SIGN_IN} from an address on the list and undo the change (/v1/security/ip-whitelist). If you are locked out, ask the operator of the service to run \`lookalike store clear-ip-whitelist ${slug}\`.`,
  },
  ip_list_switched: {
    subject: (slug) => `The IP list of ${slug} was switched on or off`,
    event: (slug) => `the IP list of your store ${slug} was switched on or off`,
    consequence:
      'While the list is on, the store can be reached only from the addresses on it. While it is off, the store can be reached from anywhere.',
    remedy: (slug) =>
      `${SIGN_IN}, create a new client secret (POST /v1/security/client-secret/rotate) and check the list (GET /v1/security/ip-whitelist). If you are locked out, ask the operator of the service to run \`lookalike store clear-ip-whitelist ${slug}\`.`,
  },
  api_key_made: {
    subject: (slug) => `A program created an API key of ${slug}`,
    event: (slug) => `a program created an API key of your store ${slug} or gave one a new value`,
    consequence:
      'The key works until it expires or someone revokes it, even after the client secret has changed.',
    remedy: () =>
      `${SIGN_IN}, create a new client secret (POST /v1/security/client-secret/rotate) and revoke every API key that you do not recognise (GET and DELETE /v1/security/api-keys).`,
  },
}

/** Says what changed in a store, when and from where, and what to do about it. */
export function ownerNoticeMail(to: string, facts: NoticeFacts): Mail {
  const { kind, slug, by, at, address, baseUrl, silentUntil } = facts
  const { subject, event, consequence, remedy } = WORDS[kind]
  const [date, time] = formatUtc(at)
  const actor = by === undefined ? 'an access token of the machine grant' : `the sign-in of ${by}`
  const paragraphs = [
    `On ${date} at ${time}, ${event(slug)}. The change was made with ${actor}, from the address ${address}.`,
    consequence,
    `If you expected this, do nothing. If not, someone else has a credential of your store: ${remedy(slug)}`,
    `The service is at ${baseUrl}. Its audit log (GET /v1/security/audit) shows who did what, and when.`,
    ...(silentUntil === undefined
      ? []
      : [
          `No more mails of this kind are sent until ${formatUtc(silentUntil).join(' at ')}, whatever happens.`,
        ]),
  ]
  return { to, subject: subject(slug), text: `${paragraphs.join('\n\n')}\n` }
}
