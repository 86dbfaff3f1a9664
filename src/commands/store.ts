import { operatorAct } from '../core/audit.ts'
import { isoTime, isoTimeOrNull } from '../core/clock.ts'
import { wrongUsage } from '../core/operator-error.ts'
import { isPlanName, PLAN_NAMES } from '../core/plans.ts'
import { parseStoreName } from '../features/stores/opening/setup.ts'
import type { StoreState } from '../features/stores/stores/queries.ts'
import type { ListedStore } from '../features/stores/stores/service.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION } from './cli/options.ts'
import { formatTable, makeVisible } from './cli/table.ts'
import { withInstall } from './service/with-install.ts'
import { exportStore, importStore } from './store-file.ts'
import { moveStore } from './store-move/command.ts'

const list: Command = {
  name: 'store list',
  summary: 'list the stores with their plan, state, products, owners and client_id',
  options: [JSON_OPTION],
  settings: ['DATA_DIR'],
  example: 'lookalike store list',
  async run({ config, options }) {
    const stores = await withInstall(config, ({ stores }) => stores.list())
    if (options['json']) console.log(JSON.stringify(stores))
    else if (stores.length === 0) console.log('There is no store yet. Create one: lookalike setup')
    else console.log(formatStores(stores))
    return 0
  },
}

const newSecret: Command = {
  name: 'store new-secret',
  summary: 'give a store a new client_secret; the old one and its access tokens end at once',
  positionals: ['SLUG'],
  options: [JSON_OPTION],
  settings: ['DATA_DIR'],
  example: 'lookalike store new-secret my-shop',
  async run({ config, options, positionals: [slug = ''] }) {
    const made = await withInstall(config, ({ stores }) => {
      const { id } = stores.requireBySlug(slug)
      return { store_id: id, slug, client_id: id, client_secret: stores.renewSecret(id, null) }
    })
    console.log(
      options['json']
        ? JSON.stringify(made)
        : `${slug} has a new client_secret; the old one has ended.

  client_id      ${made.client_id}
  client_secret  ${made.client_secret}   (shown only now)`,
    )
    return 0
  },
}

const setPlan: Command = {
  name: 'store set-plan',
  summary: 'change the plan of a store',
  positionals: ['SLUG', 'PLAN'],
  settings: ['DATA_DIR'],
  example: 'lookalike store set-plan my-shop premium',
  async run({ config, positionals: [slug = '', plan = ''] }) {
    if (!isPlanName(plan)) throw wrongUsage(`The plan must be one of ${PLAN_NAMES.join(', ')}`)
    await withInstall(config, ({ stores }) =>
      stores.setPlan(stores.requireBySlug(slug).id, plan, operatorAct(null)),
    )
    console.log(`${slug} is now on the plan ${plan}`)
    return 0
  },
}

const rename: Command = {
  name: 'store rename',
  summary: 'give a store another name; its short name stays, because addresses hold it',
  positionals: ['SLUG', 'NAME'],
  settings: ['DATA_DIR'],
  example: 'lookalike store rename my-shop "Käthe’s lamps"',
  async run({ config, positionals: [slug = '', typed = ''] }) {
    const name = parseStoreName(typed)
    await withInstall(config, ({ stores }) =>
      stores.rename(stores.requireBySlug(slug).id, name, operatorAct(null)),
    )
    console.log(`${slug} is now called ${makeVisible(name)}`)
    return 0
  },
}

const suspend: Command = {
  name: 'store suspend',
  summary: 'refuse all requests of a store and let its work wait; nothing is deleted',
  positionals: ['SLUG'],
  options: [
    {
      flag: 'reason',
      value: 'TEXT',
      meaning: 'for the owners, who get a mail, and for every refusal',
      isRequired: true,
    },
    JSON_OPTION,
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike store suspend my-shop --reason "The invoice of May is open"',
  findProblems: ({ reason }) =>
    reason !== undefined && !isReason(reason) ? ['--reason needs 1 to 500 characters in one line'] : [],
  async run({ config, options, positionals: [slug = ''] }) {
    const state = await withInstall(config, ({ stores }) =>
      stores.suspend(stores.requireBySlug(slug).id, options['reason']?.trim() ?? '', null),
    )
    console.log(
      options['json']
        ? JSON.stringify(viewState(state))
        : `${slug} is suspended, from its next request on. End it with: lookalike store resume ${slug}`,
    )
    return 0
  },
}

const resume: Command = {
  name: 'store resume',
  summary: 'end the suspension of a store, and its planned deletion',
  positionals: ['SLUG'],
  options: [JSON_OPTION],
  settings: ['DATA_DIR'],
  example: 'lookalike store resume my-shop',
  async run({ config, options, positionals: [slug = ''] }) {
    const state = await withInstall(config, ({ stores }) =>
      stores.resume(stores.requireBySlug(slug).id, null),
    )
    console.log(options['json'] ? JSON.stringify(viewState(state)) : `${slug} works again`)
    return 0
  },
}

const planDeletion: Command = {
  name: 'store delete',
  summary: 'suspend a store, and have the service delete it for good after 7 days',
  positionals: ['SLUG'],
  options: [{ flag: 'confirm', value: 'SLUG', meaning: 'the slug once more', isRequired: true }, JSON_OPTION],
  settings: ['DATA_DIR'],
  example: 'lookalike store delete my-shop --confirm my-shop',
  async run({ config, options, positionals: [slug = ''] }) {
    const state = await withInstall(config, ({ stores }) =>
      stores.planDeletion(stores.requireBySlug(slug).id, options['confirm'] ?? '', null),
    )
    console.log(
      options['json']
        ? JSON.stringify(viewState(state))
        : `${slug} is suspended, and the running service deletes it for good after ${isoTime(state.deleteAt ?? 0)}.
Restore it until then with: lookalike store resume ${slug}`,
    )
    return 0
  },
}

const clearIpList: Command = {
  name: 'store clear-ip-whitelist',
  summary: 'empty the IP list of a store, for owners who locked themselves out',
  positionals: ['SLUG'],
  settings: ['DATA_DIR'],
  example: 'lookalike store clear-ip-whitelist my-shop',
  async run({ config, positionals: [slug = ''] }) {
    const entries = await withInstall(config, ({ stores, ipAllowlist }) =>
      ipAllowlist.clear(stores.requireBySlug(slug).id),
    )
    console.log(`${slug} can be reached from any address; entries deleted: ${entries}`)
    return 0
  },
}

/** `lookalike store …`, in the order of the help. */
export const storeCommands: readonly Command[] = [
  list,
  newSecret,
  setPlan,
  rename,
  suspend,
  resume,
  planDeletion,
  clearIpList,
  exportStore,
  importStore,
  moveStore,
]

const formatStores = (stores: readonly ListedStore[]): string =>
  formatTable([
    ['SLUG', 'NAME', 'PLAN', 'STATE', 'PRODUCTS', 'CLIENT_ID', 'OWNERS'],
    ...stores.map((store) => [
      store.slug,
      store.name,
      store.plan,
      describeState(store),
      String(store.products),
      store.client_id,
      store.owners.join(', '),
    ]),
  ])

function describeState({ suspended_at, delete_at }: ListedStore): string {
  if (delete_at !== null) return `deleted after ${delete_at}`
  return suspended_at === null ? 'active' : 'suspended'
}

const isReason = (text: string): boolean => text.trim() !== '' && text.length <= 500 && !/\p{Cc}/u.test(text)

/** A store's state, as the commands that change it print it. */
const viewState = ({ id, slug, plan, suspendedAt, suspendedReason, deleteAt }: StoreState) => ({
  store_id: id,
  slug,
  plan,
  suspended_at: isoTimeOrNull(suspendedAt),
  suspended_reason: suspendedReason,
  delete_at: isoTimeOrNull(deleteAt),
})
