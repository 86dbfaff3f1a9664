import { wrongUsage } from '../core/operator-error.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike billing settle`. */
export const billingSettle: Command = {
  name: 'billing settle',
  summary: 'mark an open invoice as paid or void',
  positionals: ['INVOICE', 'STATUS'],
  settings: ['DATA_DIR'],
  example: 'lookalike billing settle 2026-0007 paid',
  async run({ config, positionals }) {
    const [number = '', status = ''] = positionals
    if (status !== 'paid' && status !== 'void') throw wrongUsage('The status must be one of paid, void')
    await withInstall(config, ({ billing }) => billing.settle(number, status))
    console.log(`Invoice ${number} is now ${status}`)
    return 0
  },
}
