import { useId, useState } from 'preact/hooks'
import type { SearchRule } from '#generated/api.ts'
import { call, type Versioned } from '../../api/client.ts'
import { Check } from '../../parts/check.tsx'
import { Choice } from '../../parts/choice.tsx'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { ActionFields } from './action-fields.tsx'
import { describeAction, describeWhen } from './describe.ts'
import { type ActionDraft, NEW_RULE, newAction, type RuleDraft, toBody, toDraft } from './draft.ts'
import type { Around } from './rules.tsx'
import { t } from './texts/texts.ts'
import { writeCurl } from './write-curl.ts'

const ACTIONS_MAX = 20

interface FormProps {
  /** The rule that is changed; a new one is made without it. */
  latest?: Versioned<SearchRule>
  around: Around
  onDone(): void
  onCancel(): void
}

/** What the form shows of a rule, by its labels. */
const show = ({ name, active, when, then }: SearchRule): Shown => ({
  [t.name]: name,
  [t.isActive]: active ? '✓' : '',
  [t.when]: describeWhen(when),
  [t.then]: then.map((action) => describeAction(action)).join('\n'),
})

const isReady = (action: ActionDraft): boolean =>
  action.kind === 'pin'
    ? action.productId !== ''
    : action.kind === 'kept' || action.conditions.every(({ field }) => field !== '')

/** Says when a rule acts and what happens then. */
export function RuleForm({ latest, around, onDone, onCancel }: FormProps) {
  const rule = latest?.value
  const [draft, setDraft] = useState<RuleDraft>(() => (rule ? toDraft(rule) : NEW_RULE))
  const { isBusy, error, run } = useSending()
  const change = (changes: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...changes }))
  const { actions } = draft
  const body = toBody(draft, around.fields, rule)

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    if (rule) await call('PUT /v1/store/rules/{id}', { path: { id: rule.id }, body, ifMatch })
    else await call('POST /v1/store/rules', { body })
    onDone()
  }

  const setAction = (n: number, action: ActionDraft) =>
    change({ actions: actions.map((one, other) => (other === n ? action : one)) })
  const removeAction = (n: number) => change({ actions: actions.filter((_, other) => other !== n) })

  return (
    <form
      class="form rule-form"
      aria-label={rule ? t.change : t.add}
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(latest?.version ?? null))
      }}
    >
      {!rule && <h2>{t.add}</h2>}
      <Field
        label={t.name}
        value={draft.name}
        onValue={(name) => change({ name })}
        maxLength={100}
        required
        takesFocus
      />
      <h3>{t.when}</h3>
      <WhenFields draft={draft} around={around} onChange={change} />
      <h3>{t.then}</h3>
      {actions.map((action, n) => (
        <ActionFields
          key={n}
          {...{ action, n: n + 1, fields: around.fields }}
          onChange={(changed) => setAction(n, changed)}
          onRemove={() => removeAction(n)}
        />
      ))}
      {actions.length < ACTIONS_MAX && (
        <p>
          <button type="button" onClick={() => change({ actions: [...actions, newAction('pin')] })}>
            {t.addAction}
          </button>
        </p>
      )}
      <Check checked={draft.active} onChange={(active) => change({ active })}>
        {t.isActive}
      </Check>
      <details class="same-call">
        <summary>{t.sameCall}</summary>
        <Copied
          text={writeCurl(
            rule ? 'PUT' : 'POST',
            `/v1/store/rules${rule ? `/${rule.id}` : ''}`,
            body as Record<string, unknown>,
          )}
        />
      </details>
      <NotSaved
        {...{ error, isBusy }}
        before={rule ? show(rule) : {}}
        load={async (signal) =>
          show(await call('GET /v1/store/rules/{id}', { path: { id: rule?.id ?? '' }, signal }))
        }
        onSave={(present) => run(() => save(present))}
      />
      <p class="actions">
        <button
          type="submit"
          class="primary"
          disabled={isBusy || actions.length === 0 || !actions.every(isReady)}
        >
          {t.save}
        </button>
        <button type="button" onClick={onCancel}>
          {t.cancel}
        </button>
      </p>
    </form>
  )
}

interface WhenProps {
  draft: RuleDraft
  around: Around
  onChange(changes: Partial<RuleDraft>): void
}

/** The conditions of a rule; all that are filled must hold. */
function WhenFields({ draft, around: { fields, keys }, onChange }: WhenProps) {
  const words = useId()
  const categories = useId()
  const known = Object.entries(keys)
  return (
    <>
      <p class="muted">{t.whenHint}</p>
      <div class="field">
        <label for={words}>{t.words}</label>
        <textarea
          id={words}
          rows={2}
          value={draft.words}
          aria-describedby={`${words}-hint`}
          onInput={({ currentTarget }) => onChange({ words: currentTarget.value })}
        />
        <p class="hint" id={`${words}-hint`}>
          {t.wordsHint}
        </p>
      </div>
      <div class="when-fields">
        <Field
          label={t.category}
          list={categories}
          maxLength={500}
          value={draft.category}
          onValue={(category) => onChange({ category })}
        />
        <datalist id={categories}>
          {fields
            .find(({ field }) => field === 'category')
            ?.values.map(({ value }) => (
              <option key={String(value)} value={String(value)} />
            ))}
        </datalist>
        <Choice
          label={t.source}
          value={draft.source}
          onValue={(source) => onChange({ source })}
          choices={[
            ['', t.anySource],
            ['text', t.sources.text],
            ['picture', t.sources.picture],
          ]}
        />
        {(known.length > 0 || draft.keyId !== '') && (
          <Choice
            label={t.key}
            value={draft.keyId}
            onValue={(keyId) => onChange({ keyId })}
            choices={[['', t.anyKey], ...known]}
          />
        )}
        <Field
          label={t.from}
          type="datetime-local"
          value={draft.from}
          onValue={(from) => onChange({ from })}
        />
        <Field
          label={t.until}
          type="datetime-local"
          value={draft.until}
          onValue={(until) => onChange({ until })}
        />
      </div>
    </>
  )
}
