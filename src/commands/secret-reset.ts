import type { Command } from './command.ts'
import { resetSecret } from './runtime.ts'

/** `lookalike secret reset`. */
export const secretReset: Command = {
  name: 'secret reset',
  summary: 'create a new secrets/data for an install that has lost it; stop the service first',
  settings: ['DATA_DIR'],
  example: 'lookalike secret reset --data-dir /var/lib/lookalike',
  async run({ config }) {
    const people = resetSecret(config)
    console.log('The install has a new secret. Mails that were waiting in the outbox can no longer be read.')
    if (people.length > 0) {
      console.log('\nThese people cannot sign in until their two-factor authentication is reset:\n')
      for (const email of people) console.log(`  lookalike user reset-2fa ${email}`)
    }
    return 0
  },
}
