import { useId } from 'preact/hooks'
import type { StoreField } from '#generated/api.ts'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import {
  type ActionDraft,
  type Condition,
  MOVES,
  type Move,
  newAction,
  OPERATORS,
  type Operator,
  takesValue,
} from './draft.ts'
import { ProductChoice } from './product-choice.tsx'
import { t } from './texts/texts.ts'

interface ActionProps {
  action: ActionDraft
  /** Its number for people, from 1. */
  n: number
  fields: readonly StoreField[]
  onChange(action: ActionDraft): void
  onRemove(): void
}

/** One thing that a rule does. */
export function ActionFields({ action, n, fields, onChange, onRemove }: ActionProps) {
  return (
    <fieldset class="rule-action">
      <legend>{t.action(String(n))}</legend>
      {action.kind === 'kept' ? (
        <>
          <p class="muted">{t.kept}</p>
          <pre>
            <code>{JSON.stringify(action.action)}</code>
          </pre>
        </>
      ) : (
        <Choice
          label={t.whatHappens}
          value={action.kind}
          onValue={(kind) => onChange(changeKind(action, kind as 'pin' | Move))}
          choices={[['pin', t.pin], ...MOVES.map((move) => [move, t.moves[move]] as const)]}
        />
      )}
      {action.kind === 'pin' && (
        <>
          <ProductChoice id={action.productId} onChoose={(productId) => onChange({ ...action, productId })} />
          <Field
            label={t.position}
            type="number"
            min="1"
            max="100"
            required
            value={action.position}
            onValue={(position) => onChange({ ...action, position })}
          />
        </>
      )}
      {(action.kind === 'boost' || action.kind === 'bury') && (
        <Choice
          label={t.strength}
          value={action.strength}
          onValue={(strength) => onChange({ ...action, strength })}
          choices={([1, 2, 3] as const).map((n) => [String(n), t.strengths[n]] as const)}
        />
      )}
      {(action.kind === 'hide' || action.kind === 'boost' || action.kind === 'bury') && (
        <Conditions
          conditions={action.conditions}
          fields={fields}
          onChange={(conditions) => onChange({ ...action, conditions })}
        />
      )}
      <button type="button" class="link danger" onClick={onRemove}>
        {t.removeAction(String(n))}
      </button>
    </fieldset>
  )
}

/** The same conditions for another move; a pin has none. */
function changeKind(action: ActionDraft, kind: 'pin' | Move): ActionDraft {
  if (kind === 'pin' || action.kind === 'pin' || action.kind === 'kept') return newAction(kind)
  return { ...action, kind }
}

/** The products that an action moves: those that pass all conditions. */
function Conditions({
  conditions,
  fields,
  onChange,
}: {
  conditions: readonly Condition[]
  fields: readonly StoreField[]
  onChange(conditions: readonly Condition[]): void
}) {
  const change = (n: number, changes: Partial<Condition>) =>
    onChange(conditions.map((one, other) => (other === n ? { ...one, ...changes } : one)))
  return (
    <div class="conditions">
      {conditions.map((condition, n) => (
        <ConditionFields
          key={n}
          condition={condition}
          fields={fields}
          onChange={(changes) => change(n, changes)}
          onRemove={
            conditions.length > 1 ? () => onChange(conditions.filter((_, other) => other !== n)) : null
          }
        />
      ))}
      <button
        type="button"
        class="link"
        onClick={() => onChange([...conditions, { field: '', operator: 'eq', value: '' }])}
      >
        {t.addCondition}
      </button>
    </div>
  )
}

interface ConditionProps {
  condition: Condition
  fields: readonly StoreField[]
  onChange(changes: Partial<Condition>): void
  onRemove: (() => void) | null
}

function ConditionFields({ condition, fields, onChange, onRemove }: ConditionProps) {
  const { field, operator, value } = condition
  const list = useId()
  const known = fields.find((one) => one.field === field)
  const choose = (name: string) => {
    const isList = fields.find((one) => one.field === name)?.type === 'list'
    onChange({ field: name, value: '', operator: isList ? 'contains' : 'eq' })
  }
  return (
    <div class="condition">
      <Choice
        label={t.field}
        value={field}
        onValue={choose}
        choices={[
          ['', t.chooseField],
          ['product_id', 'product_id'],
          ...fields.map((one) => [one.field, one.field] as const),
        ]}
      />
      <Choice
        label={t.operator}
        value={operator}
        onValue={(name) => onChange({ operator: name as Operator })}
        choices={OPERATORS.map((name) => [name, t.operators[name]] as const)}
      />
      {takesValue(operator) && (
        <>
          <Field
            label={t.value}
            hint={operator === 'in' ? t.listHint : undefined}
            list={list}
            required
            maxLength={1000}
            value={value}
            onValue={(text) => onChange({ value: text })}
          />
          <datalist id={list}>
            {known?.values.map((one) => (
              <option key={String(one.value)} value={String(one.value)} />
            ))}
          </datalist>
        </>
      )}
      {onRemove && (
        <button type="button" class="link danger" onClick={onRemove}>
          {t.removeCondition}
        </button>
      )}
    </div>
  )
}
