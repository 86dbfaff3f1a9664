import type { ListedStore } from '../features/stores/stores/service.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'
import { formatTable } from './table.ts'

/** `lookalike store list`. */
export const storeList: Command = {
  name: 'store list',
  summary: 'list the stores with their plan, state, products, owners and client_id',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR'],
  example: 'lookalike store list',
  async run({ config, options }) {
    const stores = await withInstall(config, ({ stores }) => stores.list())
    if (options['json']) console.log(JSON.stringify(stores))
    else if (stores.length === 0) console.log('There is no store yet. Create one: lookalike setup')
    else console.log(format(stores))
    return 0
  },
}

const format = (stores: readonly ListedStore[]): string =>
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
