import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user verify`. */
export const userVerify: Command = {
  name: 'user verify',
  summary: 'activate the account that an address asked for, as the link in the mail would',
  positionals: ['EMAIL'],
  options: [
    { flag: 'store', value: 'NAME', meaning: 'of several registrations of the address, that of this store' },
    { flag: 'id', value: 'ID', meaning: 'the one of this id; without a choice all are listed' },
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike user verify anna@shop.example',
  async run({ config, options, positionals }) {
    const [email = ''] = positionals
    const { slug } = await withInstall(config, ({ operator }) =>
      operator.verify(email, { store: options['store'], id: options['id'] }),
    )
    console.log(`${email} may sign in; the store is ${slug}`)
    return 0
  },
}
