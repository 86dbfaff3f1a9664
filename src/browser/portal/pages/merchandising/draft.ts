import type { FilterNode, SearchRule, SearchRuleInput, StoreField } from '#generated/api.ts'

export const MOVES = ['hide', 'boost', 'bury'] as const
export type Move = (typeof MOVES)[number]

/** Operators that the form offers; a rule with another one is kept as it is. */
export const OPERATORS = [
  'eq',
  'ne',
  'contains',
  'starts_with',
  'in',
  'gt',
  'gte',
  'lt',
  'lte',
  'exists',
  'not_exists',
] as const
export type Operator = (typeof OPERATORS)[number]

/** Operators that compare with nothing. */
const ALONE: readonly Operator[] = ['exists', 'not_exists']
export const takesValue = (operator: Operator): boolean => !ALONE.includes(operator)

/** One condition as the form holds it. `was` is the value that was read, so that an untouched one keeps its type. */
export interface Condition {
  field: string
  operator: Operator
  value: string
  was?: unknown
}

type Action = SearchRule['then'][number]

/** An action as the form holds it. `kept` is one that the form cannot show; it stays as it was read. */
export type ActionDraft =
  | { kind: 'pin'; productId: string; position: string }
  | { kind: Move; conditions: readonly Condition[]; strength: string }
  | { kind: 'kept'; action: Action }

export interface RuleDraft {
  name: string
  active: boolean
  words: string
  category: string
  keyId: string
  source: string
  /** Local times as `datetime-local` holds them. */
  from: string
  until: string
  actions: readonly ActionDraft[]
}

export const newAction = (kind: 'pin' | Move): ActionDraft =>
  kind === 'pin'
    ? { kind, productId: '', position: '1' }
    : { kind, conditions: [{ field: '', operator: 'eq', value: '' }], strength: '2' }

export const NEW_RULE: RuleDraft = {
  name: '',
  active: true,
  words: '',
  category: '',
  keyId: '',
  source: '',
  from: '',
  until: '',
  actions: [newAction('pin')],
}

const pad = (n: number): string => String(n).padStart(2, '0')

/** A moment in the time of the browser, to the minute. */
function toLocal(iso: string | undefined): string {
  if (iso === undefined) return ''
  const at = new Date(iso)
  const date = [at.getFullYear(), pad(at.getMonth() + 1), pad(at.getDate())].join('-')
  return `${date}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

/** The moment of a field. One that was not touched keeps its seconds. */
function toMoment(local: string, was: string | undefined): string | undefined {
  if (local === '') return undefined
  return toLocal(was) === local ? was : new Date(local).toISOString()
}

const LIST = ', '
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

function writeValue(value: unknown): string | null {
  if (value === undefined) return ''
  if (isPlain(value)) return String(value)
  const isSimple = Array.isArray(value) && value.every((one) => isPlain(one) && !String(one).includes(','))
  return isSimple ? value.join(LIST) : null
}

/** @returns null for a condition that the form cannot show. */
function readCondition(node: FilterNode): Condition | null {
  if (!('operator' in node) || node.field === undefined) return null
  const operator = OPERATORS.find((one) => one === node.operator)
  const value = writeValue(node.value)
  if (!operator || value === null || Array.isArray(node.value) !== (operator === 'in')) return null
  return { field: node.field, operator, value, was: node.value }
}

function readAction(action: Action): ActionDraft {
  const kind = MOVES.find((one) => one === action.action)
  if (action.action === 'pin')
    return { kind: 'pin', productId: action.product_id ?? '', position: String(action.position ?? 1) }
  const nodes = action.filters === undefined ? [] : [action.filters].flat()
  const conditions = nodes.map(readCondition)
  if (!kind || conditions.length === 0 || conditions.includes(null)) return { kind: 'kept', action }
  return {
    kind,
    conditions: conditions.filter((one) => one !== null),
    strength: String(action.strength ?? 2),
  }
}

export const toDraft = ({ name, active, when, then }: SearchRule): RuleDraft => ({
  ...{ name, active },
  words: (when.words ?? []).join('\n'),
  category: when.category ?? '',
  keyId: when.key_id ?? '',
  source: when.source ?? '',
  from: toLocal(when.from),
  until: toLocal(when.until),
  actions: then.map(readAction),
})

/** Converts what was typed to the type that the field has. */
function toTyped(text: string, field: StoreField | undefined): unknown {
  const known = field?.values.find(({ value }) => String(value) === text)
  if (known) return known.value
  if (field?.type === 'number' && text.trim() !== '' && !Number.isNaN(Number(text))) return Number(text)
  if (field?.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function toNode({ field, operator, value, was }: Condition, fields: readonly StoreField[]): FilterNode {
  if (!takesValue(operator)) return { field, operator }
  if (was !== undefined && Array.isArray(was) === (operator === 'in') && writeValue(was) === value)
    return { field, operator, value: was }
  const known = fields.find((one) => one.field === field)
  if (operator !== 'in') return { field, operator, value: toTyped(value.trim(), known) }
  const texts = value.split(',').map((text) => text.trim())
  return { field, operator, value: texts.filter(Boolean).map((text) => toTyped(text, known)) }
}

function toAction(draft: ActionDraft, fields: readonly StoreField[]): Action {
  if (draft.kind === 'kept') return draft.action
  if (draft.kind === 'pin')
    return { action: 'pin', product_id: draft.productId, position: Number(draft.position) }
  const filters = draft.conditions.map((condition) => toNode(condition, fields))
  if (draft.kind === 'hide') return { action: 'hide', filters }
  return { action: draft.kind, filters, strength: Number(draft.strength) }
}

/** The entries of a field with one entry on each line. */
const readLines = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ),
]

/** The rule that a form describes. @param was the rule as it was read. */
export function toBody(
  draft: RuleDraft,
  fields: readonly StoreField[],
  was?: SearchRule,
): SearchRuleInput & { when: SearchRule['when'] } {
  const words = readLines(draft.words)
  const from = toMoment(draft.from, was?.when.from)
  const until = toMoment(draft.until, was?.when.until)
  return {
    name: draft.name.trim(),
    active: draft.active,
    when: {
      ...(words.length > 0 && { words }),
      ...(draft.category.trim() !== '' && { category: draft.category.trim() }),
      ...(draft.keyId !== '' && { key_id: draft.keyId }),
      ...((draft.source === 'text' || draft.source === 'picture') && { source: draft.source }),
      ...(from !== undefined && { from }),
      ...(until !== undefined && { until }),
    },
    then: draft.actions.map((action) => toAction(action, fields)),
  }
}
