import type { Mail } from '../../../platform/mail/mailer.ts'
import { utcWords } from './mails.ts'

/** What owners are told of. */
export type NoticeKind = 'client_secret_rotated' | 'ip_list_forced' | 'ip_list_switched' | 'api_key_made'

export interface NoticeFacts {
  kind: NoticeKind
  /** Of the store. Its name and the names of keys are not told: whoever typed them must not write the mail. */
  slug: string
  /** Mail address of the person who did it; undefined for the machine grant. */
  by: string | undefined
  /** Unix ms. */
  at: number
  /** Network address it came from. */
  address: string
  baseUrl: string
  /** Unix ms until which nothing of this kind is mailed again; undefined when the next one is. */
  silentUntil: number | undefined
}

interface Words {
  subject(slug: string): string
  /** What happened, up to the moment: "The client secret … was changed". */
  event(slug: string): string
  consequence: string
  remedy(slug: string): string
}

const SIGN_IN = 'sign in with your password'

const WORDS: Readonly<Record<NoticeKind, Words>> = {
  client_secret_rotated: {
    subject: (slug) => `The client secret of ${slug} was changed`,
    event: (slug) => `The client secret of your store ${slug} was changed`,
    consequence:
      'The secret before it and the access tokens that were made with it have ended. Programs that still use it can no longer reach the store.',
    remedy: () =>
      `${SIGN_IN} and make another client secret (POST /v1/security/client-secret/rotate). That ends the one somebody else has.`,
  },
  ip_list_forced: {
    subject: (slug) => `The IP list of ${slug} was changed by force`,
    event: (slug) => `The IP list of your store ${slug} was changed`,
    consequence:
      'The list did not hold the address that the change came from, so the change had to be forced.',
    remedy: (slug) =>
      `${SIGN_IN} from an address that is on the list and take the entry off (/v1/security/ip-whitelist). If you are locked out, ask the operator of the service for \`lookalike store clear-ip-whitelist ${slug}\`.`,
  },
  ip_list_switched: {
    subject: (slug) => `The IP list of ${slug} was switched on or off`,
    event: (slug) => `The IP list of your store ${slug} was switched on or off by a program`,
    consequence:
      'With the list on, the store can be reached from listed addresses only; with the list off, from everywhere.',
    remedy: (slug) =>
      `${SIGN_IN}, make a new client secret (POST /v1/security/client-secret/rotate) and look at the list (GET /v1/security/ip-whitelist). If you are locked out, ask the operator of the service for \`lookalike store clear-ip-whitelist ${slug}\`.`,
  },
  api_key_made: {
    subject: (slug) => `A program made an API key of ${slug}`,
    event: (slug) => `An API key of your store ${slug} was made or given a new value by a program`,
    consequence:
      'The key works until it expires or somebody revokes it, also after the client secret was changed.',
    remedy: () =>
      `${SIGN_IN}, make a new client secret (POST /v1/security/client-secret/rotate) and revoke every API key that you do not know (GET and DELETE /v1/security/api-keys).`,
  },
}

/** What happened to a store, when, from where, and what to do about it. */
export function ownerNoticeMail(to: string, facts: NoticeFacts): Mail {
  const { kind, slug, by, at, address, baseUrl, silentUntil } = facts
  const { subject, event, consequence, remedy } = WORDS[kind]
  const [date, time] = utcWords(at)
  const actor = by === undefined ? 'an access token of the machine grant' : `the login of ${by}`
  const paragraphs = [
    `${event(slug)} on ${date} at ${time}. It was done with ${actor}, from the address ${address}.`,
    consequence,
    `If you expected this, do nothing. If not, somebody else has a credential of your store: ${remedy(slug)}`,
    `The service is at ${baseUrl}. The audit log there (GET /v1/security/audit) lists everything that was done.`,
    ...(silentUntil === undefined
      ? []
      : [
          `No more mails of this kind are sent until ${utcWords(silentUntil).join(' at ')}, whatever happens.`,
        ]),
  ]
  return { to, subject: subject(slug), text: `${paragraphs.join('\n\n')}\n` }
}
