import type { Swap } from './loaders.ts'

/** The groups of calls that `src/platform/payments/stripe.ts` uses, by their files in the library. */
const USED: readonly string[] = ['Subscriptions', 'Invoices', 'BillingPortal/index', 'Checkout/index']

const IMPORT = /^import \{ (\w+),? \} from '\.\/resources(?:\/([\w/]+))?\.js';$/gm

/** Leaves out the parts of Stripe's library that the program never calls: a megabyte with its bytecode. */
export const STRIPE_SWAPS: readonly Swap[] = [
  { path: /node_modules\/stripe\/esm\/stripe\.core\.js$/, rewrite: renderCore },
  {
    // It answers notifications of another kind than the events that the program reads.
    path: /node_modules\/stripe\/esm\/StripeEventNotificationHandler\.js$/,
    rewrite: () => 'export const StripeEventNotificationHandler = undefined\n',
  },
]

/** Renders the class of the client without the groups of calls that are not {@link USED}. */
function renderCore(source: string): string {
  const groups = [...source.matchAll(IMPORT)].map(([line, name = '', file = '']) => ({ line, name, file }))
  const missing = USED.filter((file) => !groups.some((group) => group.file === file))
  if (missing.length > 0) throw new Error(`Stripe's library has changed: it has no ${missing.join(', ')}`)
  const all = "import * as resources from './resources.js';"
  if (!source.includes(all))
    throw new Error("Stripe's library has changed: the build does not recognise its client")
  let rest = source.replace(all, 'const resources = {};')
  for (const { line, name, file } of groups) {
    if (USED.includes(file)) continue
    rest = rest.replace(line, '').replace(new RegExp(`^ +this\\.\\w+ = new ${name}\\(this\\);$`, 'gm'), '')
    if (new RegExp(`\\b${name}\\(`).test(rest))
      throw new Error(`Stripe's library has changed: it needs ${name}`)
  }
  return rest
}
