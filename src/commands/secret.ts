import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { systemIds } from '../core/ids.ts'
import type { Command } from './cli/command.ts'
import { explainFolderError, lockFolder, openForServing } from './service/data-folder.ts'
import { resetDataSecret } from './service/data-secrets.ts'

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

/**
 * Replaces the lost secret of an install that no service is using.
 *
 * @returns e-mail addresses of the people whose second factor is lost.
 */
function resetSecret(config: Config): string[] {
  const dataDir = resolve(config.DATA_DIR)
  try {
    const unlock = lockFolder(dataDir, { mayMake: false })
    try {
      const db = openForServing(dataDir)
      try {
        return resetDataSecret(db, dataDir, systemIds)
      } finally {
        db.close()
      }
    } finally {
      unlock()
    }
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
}
