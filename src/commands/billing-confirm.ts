import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike billing confirm`. */
export const billingConfirm: Command = {
  name: 'billing confirm',
  summary: 'give a store the plan it asked for and issue the invoice; works while the service runs',
  options: [
    { flag: 'paid', meaning: 'the money has arrived: issue the invoice as paid' },
    { flag: 'json', meaning: 'print JSON' },
  ],
  positionals: ['ID'],
  settings: ['DATA_DIR', 'BASE_URL'],
  example: 'lookalike billing confirm 01935f3c-6a55-7c52-a0fd-6f0e8ab3b3a1 --paid',
  async run({ config, options, positionals }) {
    const [id = ''] = positionals
    const { checkout, isRepeated, invoice } = await withInstall(config, ({ billing }) =>
      billing.confirm(id, 'operator', options['paid'] === 'true'),
    )
    const { slug, plan } = checkout
    if (options['json']) {
      const status = isRepeated ? 'already_completed' : 'completed'
      const [invoice_number, invoice_url] = [invoice?.number ?? null, invoice?.link ?? null]
      console.log(JSON.stringify({ status, slug, plan_name: plan, invoice_number, invoice_url }))
    } else if (isRepeated) console.log('This request was confirmed before. Nothing has changed.')
    else {
      console.log(`${slug} is now on the plan ${plan}`)
      if (invoice) console.log(`Invoice ${invoice.number}: ${invoice.link}`)
    }
    return 0
  },
}
