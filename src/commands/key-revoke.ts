import { OperatorError } from '../core/operator-error.ts'
import type { Command } from './command.ts'
import { keyTable, nameOf } from './key-list.ts'
import { withInstall } from './runtime.ts'

/** `lookalike key revoke`. */
export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'end an API key or a widget key at once, by its id, by its prefix or by the key itself',
  positionals: ['ID|PREFIX'],
  settings: ['DATA_DIR'],
  example: 'lookalike key revoke sk_live_9fK2',
  async run({ config, positionals: [word = ''] }) {
    const fitting = await withInstall(config, ({ keyOperator }) => keyOperator.revoke(word))
    const [only] = fitting
    if (!only) throw new OperatorError('There is no such key; lookalike key list shows them all')
    if (fitting.length > 1) {
      throw new OperatorError(
        `${fitting.length} keys begin like that, and nothing was done. Name one by its id:\n${keyTable(fitting)}`,
      )
    }
    console.log(`${sentence(nameOf(only))} has ended`)
    return 0
  },
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
