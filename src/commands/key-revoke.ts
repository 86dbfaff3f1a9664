import { OperatorError } from '../core/operator-error.ts'
import type { Command } from './command.ts'
import { describeKey, formatKeys } from './key-list.ts'
import { withInstall } from './runtime.ts'

/** `lookalike key revoke`. */
export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'revoke an API key or widget key at once, by its ID, its prefix or the key itself',
  positionals: ['ID|PREFIX'],
  settings: ['DATA_DIR'],
  example: 'lookalike key revoke sk_live_9fK2',
  async run({ config, positionals: [word = ''] }) {
    const fitting = await withInstall(config, ({ keys }) => keys.revoke(word))
    const [only] = fitting
    if (!only) throw new OperatorError('No such key; lookalike key list shows them all')
    if (fitting.length > 1) {
      throw new OperatorError(
        `${fitting.length} keys match, and none was revoked. Name one by its ID:\n${formatKeys(fitting)}`,
      )
    }
    console.log(`${capitalise(describeKey(only))} has been revoked`)
    return 0
  },
}

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
