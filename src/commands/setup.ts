import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { normaliseEmail } from '../core/email.ts'
import { wrongUsage } from '../core/operator-error.ts'
import { isPlanName, PLAN_NAMES, type PlanName, type Plans } from '../core/plans.ts'
import {
  checkNewPassword,
  parseSetup,
  type SetupRequest,
  type SetupResult,
} from '../features/stores/opening/setup.ts'
import type { Call, Command } from './cli/command.ts'
import {
  askPassword,
  buildPasswordOptions,
  findMissingPassword,
  readGivenPassword,
  warnOfVisiblePassword,
} from './cli/password-input.ts'
import { makeVisible } from './cli/table.ts'
import { findAddress, formatFolderFlag } from './service/addresses.ts'
import { hasInstall } from './service/data-folder.ts'
import { withInstall } from './service/with-install.ts'

const DEFAULT_PLAN: PlanName = 'enterprise'

/** `lookalike setup`. */
export const setup: Command = {
  name: 'setup',
  summary: 'create a store with its owner and API credentials; works while the service runs',
  options: [
    { flag: 'email', value: 'ADDRESS', meaning: 'e-mail address of the owner', isRequired: true },
    ...buildPasswordOptions('of the owner; asked for on a terminal if missing'),
    { flag: 'store', value: 'NAME', meaning: 'name of the store', isRequired: true },
    { flag: 'slug', value: 'SLUG', meaning: 'short name used in URLs; derived from the name by default' },
    { flag: 'plan', value: 'PLAN', meaning: `${PLAN_NAMES.join(', ')}; default: ${DEFAULT_PLAN}` },
    { flag: 'new', meaning: 'create a second store of the same name' },
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL'],
  example: 'lookalike setup --email me@shop.example --password-file owner.txt --store "My shop"',
  findProblems: (options) => [...findMissingPassword(options), ...findWrongPlan(options['plan'])],
  async run({ config, options }) {
    const plan = readPlan(options['plan'])
    const { email = '', store = '', slug } = options
    const isAnother = options['new'] !== undefined
    const wanted: SetupRequest = { email, password: '', storeName: store, slug, plan, isAnother }
    parseSetup(wanted)
    const dataDir = resolve(config.DATA_DIR)
    const isThere = hasInstall(dataDir)
    const password = await readPassword(config, options, wanted, isThere)
    const request: SetupRequest = { ...wanted, password }
    // A refusal leaves no install behind.
    if (!isThere) await checkNewPassword(request)
    const made = await withInstall(config, ({ setup }) => setup.run(request), { mayMake: true })
    warnOfVisiblePassword(options)
    console.log(options['json'] ? JSON.stringify(made) : formatResult(made, store.trim(), plan, config))
    return 0
  },
}

const findWrongPlan = (plan: string | undefined): string[] =>
  plan === undefined || isPlanName(plan) ? [] : [`--plan must be one of ${PLAN_NAMES.join(', ')}`]

function readPlan(plan: string = DEFAULT_PLAN): PlanName {
  if (isPlanName(plan)) return plan
  throw wrongUsage(findWrongPlan(plan).join(''))
}

/** Reads the given password, or asks: twice for a person who has no account yet. */
async function readPassword(
  config: Config,
  options: Call['options'],
  request: SetupRequest,
  isThere: boolean,
): Promise<string> {
  const given = await readGivenPassword(options)
  if (given !== undefined) return given
  const email = normaliseEmail(request.email) ?? request.email
  const known =
    isThere &&
    (await withInstall(config, ({ setup, people }) => {
      // Nobody should type a password for nothing.
      setup.checkSlug(request)
      return people.findPersonByEmail(email)
    }))
  return askPassword(`of ${email}`, { isNew: !known })
}

function formatResult(made: SetupResult, name: string, plan: PlanName, config: Config): string {
  const folder = formatFolderFlag(config)
  return `The store ${JSON.stringify(makeVisible(name))} is ready.

  slug           ${made.slug}
  owner          ${made.email}
  plan           ${plan} (${formatLimits(config.plans, plan)})
  client_id      ${made.client_id}
  client_secret  ${made.client_secret}   (shown only now)
  data folder    ${resolve(config.DATA_DIR)}

Change the plan:
  lookalike store set-plan${folder} ${made.slug} ${plan === 'premium' ? 'basic' : 'premium'}

Copy these two lines into a terminal, and the calls of the README work there:
  export CLIENT_ID=${made.client_id} CLIENT_SECRET=${made.client_secret}
  TOKEN=$(curl --fail-with-body -sS ${findAddress(config)}/oauth/token -d grant_type=client_credentials -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`
}

function formatLimits(plans: Plans, plan: PlanName): string {
  const { productsMax, requestsPerMinute } = plans[plan]
  if (productsMax === Infinity) return 'no limits'
  return `${productsMax.toLocaleString('en')} products, ${requestsPerMinute} requests a minute`
}
