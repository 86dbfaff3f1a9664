import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user verify`. */
export const userVerify: Command = {
  name: 'user verify',
  summary: 'activate a registered account, as the link in the mail would',
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
  async run({ config, options, positionals }) {
    const [email = ''] = positionals
    const { slug } = await withInstall(config, ({ accounts }) =>
      accounts.verify(email, { store: options['store'], id: options['id'] }),
    )
    console.log(`${email} can sign in; the store is ${slug}`)
    return 0
  },
}
