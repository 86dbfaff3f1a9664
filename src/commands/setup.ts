import type { SetupResult } from '../features/access/accounts/service.ts'
import type { Command } from './command.ts'
import {
  askPassword,
  buildPasswordOptions,
  readGivenPassword,
  warnOfVisiblePassword,
} from './password-input.ts'
import { findAddress, withInstall } from './runtime.ts'

/** `lookalike setup`. */
export const setup: Command = {
  name: 'setup',
  summary: 'create a store with its owner and API credentials; works while the service runs',
  options: [
    { flag: 'email', value: 'ADDRESS', meaning: 'e-mail address of the owner', isRequired: true },
    ...buildPasswordOptions('of the owner'),
    { flag: 'store', value: 'NAME', meaning: 'name of the store', isRequired: true },
    { flag: 'slug', value: 'SLUG', meaning: 'short name used in URLs; derived from the name by default' },
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL'],
  example: 'lookalike setup --email me@shop.example --password-file owner.txt --store "My shop"',
  async run({ config, options }) {
    const { email = '', store = '', slug } = options
    const password = (await readGivenPassword(options)) ?? (await askPassword(`of ${email}`))
    const made = await withInstall(
      config,
      ({ accounts }) => accounts.setup({ email, password, storeName: store, slug }),
      { mayMake: true },
    )
    warnOfVisiblePassword(options)
    console.log(options['json'] ? JSON.stringify(made) : formatResult(made, findAddress(config)))
    return 0
  },
}

const formatResult = (made: SetupResult, address: string): string => `The store is ready.

  slug           ${made.slug}
  client_id      ${made.client_id}
  client_secret  ${made.client_secret}   (shown only now)

Get an access token:
  curl -s ${address}/oauth/token -d grant_type=client_credentials \\
    -d client_id=${made.client_id} -d client_secret=${made.client_secret}`
