import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user verify`. */
export const userVerify: Command = {
  name: 'user verify',
  summary: 'activate the account that an address asked for, as the link in the mail would',
  positionals: ['EMAIL'],
  settings: ['DATA_DIR'],
  example: 'lookalike user verify anna@shop.example',
  async run({ config, positionals }) {
    const [email = ''] = positionals
    const { slug } = await withInstall(config, ({ operator }) => operator.verify(email))
    console.log(`${email} may sign in; the store is ${slug}`)
    return 0
  },
}
