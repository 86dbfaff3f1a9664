import { isoTime } from '../core/clock.ts'
import type { ListedPerson } from '../features/stores/people/queries.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'
import { formatTable } from './table.ts'

/** `lookalike user list`. */
export const userList: Command = {
  name: 'user list',
  summary: 'list the people with their stores, second factor and last sign-in',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR'],
  example: 'lookalike user list --json',
  async run({ config, options }) {
    const people = await withInstall(config, ({ people }) => people.listPeople())
    if (options['json']) console.log(JSON.stringify(people.map(toJson)))
    else if (people.length === 0)
      console.log('There is nobody yet. Create a store with its owner: lookalike setup')
    else console.log(format(people))
    return 0
  },
}

const toJson = ({
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
  last_sign_in_at: lastSignInAt === null ? null : isoTime(lastSignInAt),
  stores,
})

const format = (people: readonly ListedPerson[]): string =>
  formatTable([
    ['EMAIL', 'STORES', 'SUPER-ADMIN', '2FA', 'LAST SIGN-IN'],
    ...people.map(({ email, stores, isSuperAdmin, hasTwoFactor, lastSignInAt }) => [
      email,
      stores.map(({ slug, role }) => `${slug} (${role})`).join(', ') || '-',
      isSuperAdmin ? 'yes' : 'no',
      hasTwoFactor ? 'yes' : 'no',
      lastSignInAt === null ? 'never' : isoTime(lastSignInAt),
    ]),
  ])
