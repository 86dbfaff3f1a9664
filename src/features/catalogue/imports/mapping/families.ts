import { turn } from '../../../../core/turns.ts'
import type { ImportRecord } from '../formats/record.ts'
import type { CharBudget, Families } from './inheritance.ts'
import { startMagentoFamilies } from './magento-families.ts'
import type { Plan } from './mapping.ts'
import type { Reading } from './variants.ts'
import { startWooCommerceFamilies } from './woocommerce-families.ts'

/**
 * The most characters kept of all families of a file; a parent takes some hundreds and a variation about a hundred.
 * Rows beyond it are products by themselves.
 */
const KEPT_CHARS_MAX = 24 * 1024 * 1024
/** The overhead of an entry besides its texts. */
const ENTRY_CHARS = 200

/** Files have at most 200,000 products; further rows are not looked at. */
const RECORDS_MAX = 250_000

/** Rows between two turns of the event loop: some milliseconds. */
const TURN_RECORDS = 50

function createCharBudget(): CharBudget {
  let left = KEPT_CHARS_MAX
  return {
    take(chars) {
      if (left < chars + ENTRY_CHARS) return false
      left -= chars + ENTRY_CHARS
      return true
    },
  }
}

/** Reads a file once to learn which rows belong together. @throws UnreadableFile as its records do. */
export async function collectFamilies(
  records: AsyncIterable<ImportRecord>,
  plan: Plan,
  reading: Reading,
): Promise<Families> {
  const start = plan.platform === 'magento' ? startMagentoFamilies : startWooCommerceFamilies
  const collector = start(plan, reading, createCharBudget())
  let count = 0
  for await (const record of records) {
    if (++count > RECORDS_MAX) break
    if (count % TURN_RECORDS === 0) await turn()
    if ('cells' in record) collector.add(record.cells)
  }
  return collector.done()
}
