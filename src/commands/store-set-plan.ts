import { operatorAct } from '../core/audit.ts'
import { wrongUsage } from '../core/operator-error.ts'
import { isPlanName, PLAN_NAMES } from '../core/plans.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike store set-plan`. */
export const storeSetPlan: Command = {
  name: 'store set-plan',
  summary: 'change the plan of a store',
  positionals: ['SLUG', 'PLAN'],
  settings: ['DATA_DIR'],
  example: 'lookalike store set-plan my-shop premium',
  async run({ config, positionals }) {
    const [slug = '', plan = ''] = positionals
    if (!isPlanName(plan)) throw wrongUsage(`The plan must be one of ${PLAN_NAMES.join(', ')}`)
    await withInstall(config, ({ stores }) =>
      stores.setPlan(stores.requireBySlug(slug).id, plan, operatorAct(null)),
    )
    console.log(`${slug} is now on the plan ${plan}`)
    return 0
  },
}
