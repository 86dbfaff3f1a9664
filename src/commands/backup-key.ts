import { resolve } from 'node:path'
import { OperatorError, wrongInput } from '../core/operator-error.ts'
import { isRecipient, makeKey } from '../platform/backup/copies/age.ts'
import { findRecipient, keepRecipient } from '../platform/backup/copies/key-files.ts'
import { tryLockBackups } from '../platform/db/instance-lock.ts'
import type { Command } from './cli/command.ts'
import { checkFolder, explainFolderError } from './service/data-folder.ts'

/** `lookalike backup key`. */
export const backupKey: Command = {
  name: 'backup key',
  summary:
    'make the key of the copies in BACKUP_TO and print it once; the install keeps its public half alone',
  options: [
    {
      flag: 'recipient',
      value: 'AGE1…',
      meaning: 'use a key that you have, by its public half, instead of a new one',
    },
    { flag: 'replace', meaning: 'take the place of the present key, which the copies so far still need' },
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike backup key > lookalike-key.txt',
  async run({ config, options: { recipient: given, replace } }) {
    const dataDir = resolve(config.DATA_DIR)
    if (given !== undefined && !(await isRecipient(given)))
      throw wrongInput(
        '--recipient must be the public half of a key of age, age1…, as "age-keygen -y" prints it',
      )
    try {
      checkFolder(dataDir, { mayMake: false })
      // Of two at a time, one would print a key that nothing is encrypted to.
      const unlock = tryLockBackups(dataDir)
      if (!unlock)
        throw new OperatorError(
          `A backup of ${dataDir}, or a restore, is under way: wait until it has ended.`,
        )
      try {
        demandNoOther(findRecipient(dataDir), given, replace !== undefined)
        if (given !== undefined) {
          keepRecipient(dataDir, given)
          console.log(`Copies of backups are encrypted to ${given} from now on.`)
          return 0
        }
        const { identity, recipient } = await makeKey()
        keepRecipient(dataDir, recipient)
        console.log(format(identity, recipient))
        console.error(HINT)
        return 0
      } finally {
        unlock()
      }
    } catch (error) {
      throw explainFolderError(dataDir, error)
    }
  },
}

function demandNoOther(present: string | undefined, given: string | undefined, mayReplace: boolean): void {
  if (present === undefined || present === given || mayReplace) return
  throw new OperatorError(
    `Copies are encrypted to ${present} already, and its key was shown once. If you have lost it, give --replace: a new key opens the copies from now on, and no earlier one.`,
  )
}

/** As `age-keygen` writes it. */
const format = (identity: string, recipient: string): string =>
  `# key of the copies of Lookalike's backups; --key-file of "lookalike restore" takes this file
# public key: ${recipient}
${identity}`

const HINT = `
This key is shown once, and nothing but it opens the copies. Keep it away from this machine: in a password manager, or printed.`
