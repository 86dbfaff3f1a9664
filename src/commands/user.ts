import { isoTime, isoTimeOrNull } from '../core/clock.ts'
import { normaliseEmail } from '../core/email.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Invitation } from '../features/access/operator/service.ts'
import type { ListedPerson } from '../features/stores/people/queries.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION } from './cli/options.ts'
import { buildPasswordOptions, readGivenPassword, warnOfVisiblePassword } from './cli/password-input.ts'
import { formatTable } from './cli/table.ts'
import { findAddress } from './service/addresses.ts'
import { withInstall } from './service/with-install.ts'

const list: Command = {
  name: 'user list',
  summary: 'list the people with their stores, second factor and last sign-in',
  options: [JSON_OPTION],
  settings: ['DATA_DIR'],
  example: 'lookalike user list --json',
  async run({ config, options }) {
    const people = await withInstall(config, ({ people }) => people.listPeople())
    if (options['json']) console.log(JSON.stringify(people.map(viewPerson)))
    else if (people.length === 0)
      console.log('There is nobody yet. Create a store with its owner: lookalike setup')
    else console.log(formatPeople(people))
    return 0
  },
}

const verify: Command = {
  name: 'user verify',
  summary:
    'vouch for an address: activate its registration, as the link in the mail would, or prove its account',
  positionals: ['EMAIL'],
  options: [
    {
      flag: 'store',
      value: 'NAME',
      meaning: 'if the address has several registrations: the one for this store',
    },
    {
      flag: 'id',
      value: 'ID',
      meaning:
        'if the address has several registrations: the one with this ID; without a choice, all are listed',
    },
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike user verify anna@shop.example',
  async run({ config, options, positionals: [email = ''] }) {
    const slug = await withInstall(config, ({ accounts }) =>
      accounts.vouch(email, { store: options['store'], id: options['id'] }),
    )
    console.log(
      slug === undefined
        ? `The account of ${email} counts as proven`
        : `${email} can sign in; the store is ${slug}`,
    )
    return 0
  },
}

const invite: Command = {
  name: 'user invite',
  summary: 'invite an address to register once within 7 days, where REGISTRATION is "invite"',
  positionals: ['EMAIL'],
  options: [JSON_OPTION],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'OFFLINE', 'FETCH_ALLOW_CIDRS'],
  example: 'lookalike user invite anna@shop.example',
  async run({ config, options, positionals: [email = ''] }) {
    const invitation = await withInstall(config, ({ accounts }) => accounts.invite(email))
    console.log(
      options['json']
        ? JSON.stringify(viewInvitation(invitation))
        : formatInvitation(invitation, findAddress(config)),
    )
    return 0
  },
}

const resetPassword: Command = {
  name: 'user reset-password',
  summary: 'set a new password for a person and end all their sign-ins',
  positionals: ['EMAIL'],
  options: [
    ...buildPasswordOptions('to set; without one, a password is generated and printed once'),
    JSON_OPTION,
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike user reset-password anna@shop.example',
  async run({ config, options, positionals: [email = ''] }) {
    const password = await readGivenPassword(options)
    const made = await withInstall(config, ({ accounts }) => accounts.resetPassword(email, password))
    warnOfVisiblePassword(options)
    console.log(
      options['json'] ? JSON.stringify({ email, password: made ?? null }) : formatPassword(email, made),
    )
    return 0
  },
}

const resetTwoFactor: Command = {
  name: 'user reset-2fa',
  summary: 'turn off two-factor authentication for a person who has lost the authenticator',
  positionals: ['EMAIL'],
  settings: ['DATA_DIR'],
  example: 'lookalike user reset-2fa ann@shop.example',
  async run({ config, positionals: [typed = ''] }) {
    const email = normaliseEmail(typed) ?? typed
    const wasThere = await withInstall(config, ({ twoFactor }) => twoFactor.reset(email))
    if (wasThere === undefined) throw new OperatorError(`${email} has no account`)
    console.log(
      wasThere
        ? `${email} now signs in with the password alone; earlier sign-ins have ended`
        : `${email} does not use two-factor authentication; nothing was changed`,
    )
    return 0
  },
}

const unlock: Command = {
  name: 'user unlock',
  summary: 'forget the failed sign-ins of a person, who can then try again at once',
  positionals: ['EMAIL'],
  settings: ['DATA_DIR'],
  example: 'lookalike user unlock anna@shop.example',
  async run({ config, positionals: [email = ''] }) {
    await withInstall(config, ({ accounts }) => accounts.unlock(email))
    console.log(`${email} can sign in again`)
    return 0
  },
}

const endSessions: Command = {
  name: 'user end-sessions',
  summary: 'end all sign-ins of a person, whose tokens are refused from the next request on',
  positionals: ['EMAIL'],
  options: [JSON_OPTION],
  settings: ['DATA_DIR'],
  example: 'lookalike user end-sessions anna@shop.example',
  async run({ config, options, positionals: [email = ''] }) {
    const ended = await withInstall(config, ({ accounts }) => accounts.endSessions(email))
    console.log(
      options['json'] ? JSON.stringify({ email, ended }) : `Sign-ins of ${email} that ended: ${ended}`,
    )
    return 0
  },
}

const superAdmin: Command = {
  name: 'user super-admin',
  summary: 'make a person a super-admin, who may do everything in every store, or take that right away',
  positionals: ['EMAIL'],
  options: [{ flag: 'take-away', meaning: 'take the right away; the last super-admin keeps it' }],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'OFFLINE', 'FETCH_ALLOW_CIDRS'],
  example: 'lookalike user super-admin anna@shop.example',
  async run({ config, options, positionals: [email = ''] }) {
    const isSuperAdmin = !options['take-away']
    const isNew = await withInstall(config, ({ accounts }) =>
      accounts.setSuperAdminAtCommandLine(email, isSuperAdmin),
    )
    const state = isSuperAdmin ? 'a super-admin' : 'no super-admin'
    console.log(isNew ? `${email} is ${state} now` : `${email} is ${state} already; nothing was changed`)
    return 0
  },
}

const deleteAccount: Command = {
  name: 'user delete',
  summary: 'delete the account of a person with all that is only about them; stores stay',
  positionals: ['EMAIL'],
  options: [
    { flag: 'confirm', value: 'EMAIL', meaning: 'the address once more', isRequired: true },
    JSON_OPTION,
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'OFFLINE', 'FETCH_ALLOW_CIDRS'],
  example: 'lookalike user delete anna@shop.example --confirm anna@shop.example',
  async run({ config, options, positionals: [email = ''] }) {
    const deleted = await withInstall(config, ({ accounts }) =>
      accounts.deleteAccount(email, options['confirm'] ?? ''),
    )
    console.log(
      options['json']
        ? JSON.stringify({ email, ...deleted })
        : `The account of ${email} is deleted; sign-ins that ended: ${deleted.sessions_ended}, memberships: ${deleted.stores_left}`,
    )
    return 0
  },
}

/** `lookalike user …`, in the order of the help. */
export const userCommands: readonly Command[] = [
  list,
  verify,
  invite,
  resetPassword,
  resetTwoFactor,
  unlock,
  endSessions,
  superAdmin,
  deleteAccount,
]

const viewPerson = ({
  id,
  email,
  name,
  isSuperAdmin,
  hasTwoFactor,
  createdAt,
  lastSignInAt,
  stores,
}: ListedPerson) => ({
  user_id: id,
  email,
  name,
  is_super_admin: isSuperAdmin,
  has_2fa: hasTwoFactor,
  created_at: isoTime(createdAt),
  last_sign_in_at: isoTimeOrNull(lastSignInAt),
  stores,
})

const formatPeople = (people: readonly ListedPerson[]): string =>
  formatTable([
    ['EMAIL', 'STORES', 'SUPER-ADMIN', '2FA', 'LAST SIGN-IN'],
    ...people.map(({ email, stores, isSuperAdmin, hasTwoFactor, lastSignInAt }) => [
      email,
      stores.map(({ slug, role }) => `${slug} (${role})`).join(', ') || '-',
      isSuperAdmin ? 'yes' : 'no',
      hasTwoFactor ? 'yes' : 'no',
      isoTimeOrNull(lastSignInAt) ?? 'never',
    ]),
  ])

const viewInvitation = ({ email, token, expiresAt, isSent }: Invitation) => ({
  email,
  invite: token,
  expires_at: isoTime(expiresAt),
  email_sent: isSent,
})

const formatInvitation = ({ email, token, expiresAt, isSent }: Invitation, address: string): string =>
  `${email} may register until ${isoTime(expiresAt)}. ${isSent ? 'The mail has been sent.' : 'The mail is waiting in the outbox.'}

  invite  ${token}   (shown only now)
  page    ${address}/register#${token}

  curl --fail-with-body -sS ${address}/register -H 'content-type: application/json' \\
    -d '{"client_name": "…", "email": "${email}", "password": "…", "invite": "${token}"}'`

const formatPassword = (email: string, made: string | undefined): string =>
  made === undefined ? `${email} has a new password` : `New password of ${email}: ${made}   (shown only now)`
