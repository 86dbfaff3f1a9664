import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { closed } from '../../../http/closed-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'
import { Filters } from '../../catalogue/filters/schema.ts'

/** What a rule can do to products: put one at a place, or move those that pass a filter. */
export const RULE_ACTIONS = ['pin', 'hide', 'boost', 'bury'] as const
export type RuleActionName = (typeof RULE_ACTIONS)[number]

const RULE_SOURCES = ['text', 'picture'] as const
export const RULE_STATES = ['active', 'inactive', 'scheduled', 'ended'] as const
export type RuleState = (typeof RULE_STATES)[number]

/** Characters of an entry of `words`. */
const ENTRY_CHARS_MAX = 200
const CATEGORY_CHARS_MAX = 500

const instant = (description: string) =>
  text({
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
    description: `${description}: a time of ISO 8601 with its offset from UTC.`,
    examples: ['2030-01-01T00:00:00Z'],
  })

const CONDITIONS = {
  words: t.Optional(
    t.Array(text({ minLength: 1, maxLength: ENTRY_CHARS_MAX, pattern: '\\S' }), {
      minItems: 1,
      maxItems: LIMITS.ruleEntriesMax,
      description: `One entry is enough: all its words occur in the query, in any order and form. In quotation marks it must be the whole query. At most ${LIMITS.ruleEntryWordsMax} words each.`,
      examples: [['autumn boots', '"boots"']],
    }),
  ),
  category: t.Optional(
    text({
      minLength: 1,
      maxLength: CATEGORY_CHARS_MAX,
      pattern: '\\S',
      description: 'The `category` that the search asks for, or a level of its path.',
      examples: ['Shoes'],
    }),
  ),
  key_id: t.Optional(
    text({
      minLength: 1,
      maxLength: 64,
      description: 'The widget key that the search comes with: its `id`.',
      examples: ['0192f3a1-7c4e-7b7a-9d3e-4f5a6b7c8d9e'],
    }),
  ),
  source: t.Optional(
    oneOf(RULE_SOURCES, 'What is searched with. A search with words and a picture is one of either.'),
  ),
  from: t.Optional(instant('Searches from this moment on')),
  until: t.Optional(instant('Searches before this moment')),
}

const When = closed(
  t.Object(CONDITIONS, { description: 'All of them hold. Without any, the rule acts on every search.' }),
)
export type RuleConditions = typeof When.static

/** The conditions that a row holds as JSON. */
export const StoredConditions = t.Object(
  { words: CONDITIONS.words, category: CONDITIONS.category, source: CONDITIONS.source },
  { additionalProperties: false },
)
export type StoredConditions = typeof StoredConditions.static

const Action = named(
  'SearchRuleAction',
  closed(
    t.Object({
      // The service refuses another name with the one that is probably meant.
      action: Type.Unsafe<RuleActionName>({
        ...text({
          maxLength: 100,
          description: '`pin` puts one product at a place; the others move the products that pass `filters`.',
        }),
        examples: RULE_ACTIONS,
      }),
      product_id: t.Optional(
        text({ minLength: 1, maxLength: LIMITS.productIdCharsMax, description: 'Of `pin`.' }),
      ),
      position: t.Optional(
        Type.Integer({ minimum: 1, maximum: LIMITS.rulePositionMax, description: 'Of `pin`: from 1.' }),
      ),
      filters: t.Optional(Filters),
      strength: t.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 3,
          description: 'Of `boost` and `bury`: 1 moves a little, 2 (the default) more, 3 most.',
        }),
      ),
    }),
  ),
)
export type RuleAction = typeof Action.static

export const RuleActions = t.Array(Action, {
  minItems: 1,
  maxItems: LIMITS.ruleActionsMax,
  description: 'What happens. Hiding wins over pins, and pins win over boosts.',
})

export const RuleName = text({
  minLength: 1,
  maxLength: 100,
  pattern: NAME,
  description: 'For people: one line.',
})

/** Fields of an answer that a body may bring along: it is then a rule as it was read. */
const IGNORED = t.Optional(t.Unknown({ description: 'Ignored; it may stand there as it was read.' }))

const EXAMPLE = {
  name: 'Autumn campaign',
  when: { words: ['boots'], from: '2030-09-01T00:00:00Z', until: '2030-11-01T00:00:00Z' },
  then: [
    { action: 'pin', product_id: 'sku-1', position: 1 },
    { action: 'boost', filters: [{ field: 'tags', operator: 'contains', value: 'autumn' }], strength: 2 },
  ],
}

/** The body of POST and of PUT, which replaces the whole rule. */
export const RuleBody = named(
  'SearchRuleInput',
  closed(
    t.Object({
      name: RuleName,
      active: t.Optional(
        t.Boolean({ default: true, description: 'A rule that is not active is only kept.' }),
      ),
      when: t.Optional(When),
      then: RuleActions,
      ...{ id: IGNORED, state: IGNORED, missing: IGNORED, faults: IGNORED, uses: IGNORED, clicks: IGNORED },
      ...{ created_at: IGNORED, updated_at: IGNORED, warnings: IGNORED },
    }),
  ),
  EXAMPLE,
)
export type RuleBody = typeof RuleBody.static

const Fault = t.Object({
  pointer: t.String({ description: 'The part of the rule that does nothing, as a JSON pointer.' }),
  message: t.String(),
})
export type RuleFault = typeof Fault.static

export const SearchRule = named(
  'SearchRule',
  t.Object({
    id: t.String(),
    name: t.String(),
    active: t.Boolean(),
    state: oneOf(
      RULE_STATES,
      '`scheduled` before `from`, `ended` after `until`, `inactive` where `active` is false.',
    ),
    when: t.Object(CONDITIONS),
    then: t.Array(Action),
    missing: t.Array(t.String(), {
      description: 'Ids of pinned products that the store does not have now. Their pins do nothing.',
    }),
    faults: t.Array(Fault, {
      description:
        'What else does nothing: a widget key that is gone, a filter that cannot be read any more.',
    }),
    uses: Type.Integer({ description: 'Searches of shoppers in which the rule acted.' }),
    clicks: Type.Integer({ description: 'Their clicks on products that the rule had moved.' }),
    created_at: Moment,
    updated_at: Moment,
    warnings: t.Optional(
      t.Array(t.String(), {
        description:
          'Where one rule is read or written: what its filters ask for in vain. Absent without any.',
      }),
    ),
  }),
)
export type SearchRule = typeof SearchRule.static

export const RuleQuery = t.Object(pageQuery({ default: 100, maximum: LIMITS.rulesPerStore }))
export type RuleQuery = typeof RuleQuery.static

export const SearchRuleList = named(
  'SearchRuleList',
  t.Object({
    rules: t.Array(SearchRule, { description: 'Oldest first, which is the order in which they count.' }),
    count: Type.Integer({ description: 'Rules on this page.' }),
    ...PAGE_END,
  }),
)
export type SearchRuleList = typeof SearchRuleList.static

export const RuleParams = t.Object({ id: t.String() })
export const DeletedRule = named('Deleted', t.Object({ status: t.Literal('deleted'), id: t.String() }))
export type DeletedRule = typeof DeletedRule.static

/** Fields of each action: those that it needs, and those that it may have besides. */
const FIELDS: Readonly<Record<RuleActionName, { needs: readonly Field[]; may: readonly Field[] }>> = {
  pin: { needs: ['product_id', 'position'], may: [] },
  hide: { needs: ['filters'], may: [] },
  boost: { needs: ['filters'], may: ['strength'] },
  bury: { needs: ['filters'], may: ['strength'] },
}
type Field = Exclude<keyof RuleAction, 'action'>

export const isRuleAction = (name: string): name is RuleActionName => Object.hasOwn(FIELDS, name)

/** Lists the fields that an action lacks or must not have. */
export function listMisfits(action: RuleAction): { field: Field; isMissing: boolean }[] {
  const { needs, may } = FIELDS[action.action]
  const given = (Object.keys(action) as (keyof RuleAction)[]).filter((key) => action[key] !== undefined)
  return [
    ...needs.filter((field) => !given.includes(field)).map((field) => ({ field, isMissing: true })),
    ...given
      .filter((key): key is Field => key !== 'action' && !needs.includes(key) && !may.includes(key))
      .map((field) => ({ field, isMissing: false })),
  ]
}
