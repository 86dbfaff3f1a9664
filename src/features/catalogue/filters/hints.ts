import { createFieldHints, type FieldHintDeps } from './field-hints.ts'
import { type Filter, listConditions, type Scalars } from './filter.ts'
import { createValueHints, isIndexed, type ValueHintDeps } from './value-hints.ts'
import type { Walks } from './walk.ts'

/** Fields of one filter whose values are looked for in a whole store. */
const FIELDS_MAX = 3
const WARNINGS_MAX = 10

export interface HintDeps {
  queries: FieldHintDeps['queries'] & ValueHintDeps['queries']
  walks: Walks
}

export type Hints = ReturnType<typeof createHints>

/** Finds what a filter asks for in vain, and what may have been meant. */
export function createHints(deps: HintDeps) {
  const fieldHints = createFieldHints(deps)
  const valueHints = createValueHints(deps)
  return {
    /** Warnings about a filter. @param matched the number of products that pass. */
    async list(storeId: string, filter: Filter, matched: number): Promise<string[]> {
      const fields = new Set<string>()
      const compared = new Map<string, Scalars>()
      for (const condition of listConditions(filter.root)) {
        if ('near' in condition || condition.field.kind === 'own') continue
        const { field, test } = condition
        fields.add(field.name)
        if (test.op === 'equals' && !compared.has(field.name)) compared.set(field.name, test)
      }
      const absent = await fieldHints.listAbsent(storeId, [...fields])
      const warnings = await fieldHints.describeAbsent(storeId, absent.slice(0, WARNINGS_MAX))
      let walked = 0
      for (const [field, scalars] of compared) {
        if (warnings.length >= WARNINGS_MAX) break
        if (absent.includes(field)) continue
        const isEmpty = matched === 0 && walked < FIELDS_MAX
        if (!isIndexed(field)) walked++
        warnings.push(...(await valueHints.describeVain(storeId, field, scalars, isEmpty)))
      }
      return warnings.slice(0, WARNINGS_MAX)
    },

    findAbsentKeys: fieldHints.findAbsentKeys,
    forgetStore: fieldHints.forgetStore,
  }
}
