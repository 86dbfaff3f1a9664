import type { Role } from '../../../core/actor.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

// The person who opens a store names it. These texts therefore contain its slug and never its name, so that nobody can write a
// stranger a mail of their own words.

const mail = (to: string, subject: string, ...paragraphs: string[]): Mail => ({
  to,
  subject,
  text: `${paragraphs.join('\n\n')}\n`,
})

export interface InviteFacts {
  /** E-mail address of the person who invites. */
  inviter: string
  slug: string
  role: Role
  link: string
  baseUrl: string
}

const ROLE_IN_WORDS: Readonly<Record<Role, string>> = {
  owner: 'an owner',
  admin: 'an admin',
  developer: 'a developer',
  viewer: 'a viewer',
}

/** The link of an invitation to a store. */
export const inviteMail = (to: string, { inviter, slug, role, link, baseUrl }: InviteFacts): Mail =>
  mail(
    to,
    `You are invited to the store ${slug}`,
    `${inviter} invites you to the store ${slug} at ${baseUrl}, as ${ROLE_IN_WORDS[role]}. To accept, follow this link within 7 days and press the button:`,
    link,
    'The link works once. If you have no account yet, you choose a name and a password there.',
    'If you did not expect this, do nothing: without the link, you join no store.',
  )

/** Tells a person who has an account that somebody joined a store with it, by a link that did not come by mail. */
export const joinedMail = (to: string, slug: string, baseUrl: string): Mail =>
  mail(
    to,
    `You are now a member of the store ${slug}`,
    `An invitation to the store ${slug} at ${baseUrl} was accepted for your account. Its link was not sent by mail: the person who invites handed it over.`,
    `If you belong to several stores, each request names one of them in the header X-Service-Active-Tenant. Nobody else can use your account: your password is as before.`,
    'If you did not expect this, ask an owner of that store, or the operator of the service, to remove you from it.',
  )

/** Tells a person that a store has opened an account for them. @param link sets a password of their own. */
export const accountMadeMail = (
  to: string,
  maker: string,
  slug: string,
  link: string,
  baseUrl: string,
): Mail =>
  mail(
    to,
    'An account was opened for you',
    `${maker} opened an account with this e-mail address at ${baseUrl}, for the store ${slug}, and chose its password.`,
    'To make the account your own, choose a password that only you know. This ends every sign-in with the old one, and removes a second factor that you did not set up. The link works for 24 hours:',
    link,
    `If the link no longer works, ask for a new one at ${baseUrl}/forgot`,
  )
