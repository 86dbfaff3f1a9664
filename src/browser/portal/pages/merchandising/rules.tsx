import { useState } from 'preact/hooks'
import type { SearchRule, StoreField } from '#generated/api.ts'
import { call, readVersion } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Drawn } from '../../parts/drawn.tsx'
import { Latest } from '../../parts/latest.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { readShown } from '../../parts/product-tile.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { useSending } from '../../parts/use-sending.ts'
import { describeAction, describeWhen } from './describe.ts'
import type { PartProps } from './merchandising-page.tsx'
import { Preview } from './preview.tsx'
import { type Known, readProducts } from './products.ts'
import { RuleForm } from './rule-form.tsx'
import { t } from './texts/texts.ts'

/** A store has at most so many, and they come in one answer. */
const RULES_MAX = 500

/** What the page knows beside the rules. */
export interface Around {
  fields: readonly StoreField[]
  /** Names of the widget keys by their ids; empty where the person may not see them. */
  keys: Readonly<Record<string, string>>
  products: Readonly<Record<string, Known>>
}

const listPinned = (rules: readonly SearchRule[]): string[] =>
  rules.flatMap(({ then }) => then.flatMap(({ product_id }) => product_id ?? []))

async function loadAll(
  can: PartProps['can'],
  signal: AbortSignal,
): Promise<Around & { rules: readonly SearchRule[] }> {
  const [{ rules }, { fields }, keys] = await Promise.all([
    call('GET /v1/store/rules', { query: { limit: RULES_MAX }, signal }),
    call('GET /v1/store/fields', { signal }),
    can('keys:manage') ? call('GET /v1/security/public-keys', { signal }) : null,
  ])
  const products = can('search:execute') ? await readProducts(listPinned(rules), signal) : {}
  const names = (keys?.public_keys ?? []).map(({ id, name }) => [id, name] as const)
  return { rules, fields, products, keys: Object.fromEntries(names) }
}

/** The rules of the store, and what they change. */
export function Rules({ can, mayWrite }: PartProps) {
  const loaded = useLoad((signal) => loadAll(can, signal), [])
  const [isNew, setNew] = useState(false)
  const [round, setRound] = useState(0)
  const [shown, setShown] = useState<SearchRule['when'] | null>(null)
  const [, reload] = loaded
  const onChanged = () => {
    setNew(false)
    setRound((n) => n + 1)
    reload()
  }
  return (
    <>
      <p class="section-lead">{t.rulesHint}</p>
      <Show of={loaded}>
        {({ rules, ...around }) => (
          <>
            {mayWrite && !isNew && rules.length > 0 && (
              <p class="actions">
                <button type="button" class="primary" onClick={() => setNew(true)}>
                  {t.add}
                </button>
              </p>
            )}
            {isNew && <RuleForm around={around} onDone={onChanged} onCancel={() => setNew(false)} />}
            {rules.length === 0 && !isNew && (
              <div class="empty">
                <Drawn which={1} />
                <h2>{t.none}</h2>
                <p>{t.noneHint}</p>
                {mayWrite && (
                  <button type="button" class="primary" onClick={() => setNew(true)}>
                    {t.add}
                  </button>
                )}
              </div>
            )}
            <ul class="rules">
              {rules.map((rule) => (
                <li key={rule.id}>
                  <RuleCard {...{ rule, around, mayWrite, onChanged }} onShow={() => setShown(rule.when)} />
                </li>
              ))}
            </ul>
            {can('search:execute') && rules.length > 0 && <Preview asked={shown} round={round} />}
          </>
        )}
      </Show>
    </>
  )
}

interface CardProps {
  rule: SearchRule
  around: Around
  mayWrite: boolean
  onChanged(): void
  onShow(): void
}

/** One rule: when it acts, what it does, whether it lives, and what can be done with it. */
function RuleCard({ rule, around, mayWrite, onChanged, onShow }: CardProps) {
  const [isChanging, setChanging] = useState(false)
  const { id, name, state, when, then, uses, clicks, missing, faults } = rule
  const names = Object.fromEntries(
    Object.values(around.products).map((one) => [
      one.product_id,
      readShown(one.product_id, one.metadata).name,
    ]),
  )
  return (
    <article class="rule" aria-label={name}>
      <h2 dir="auto">
        {name} <span class="state muted">{t.states[state]}</span>
      </h2>
      <p>{describeWhen(when, around.keys)}</p>
      <ul class="rule-acts">
        {then.map((action, n) => (
          <li key={n} dir="auto">
            {action.product_id !== undefined && (
              <Picture
                src={around.products[action.product_id]?.thumbnail_url}
                name={names[action.product_id] ?? action.product_id}
              />
            )}
            <span>{describeAction(action, names)}</span>
          </li>
        ))}
      </ul>
      <p class="muted">{t.counts(formatNumber(uses), formatNumber(clicks))}</p>
      {missing.length > 0 && <p class="note">{t.missing(missing.join(', '))}</p>}
      {faults.map(({ pointer, message }) => (
        <p key={pointer} class="note" lang="en">
          {message}
        </p>
      ))}
      {isChanging ? (
        <Latest of="GET /v1/store/rules/{id}" id={id}>
          {(latest) => (
            <RuleForm
              {...{ latest, around }}
              onDone={() => {
                setChanging(false)
                onChanged()
              }}
              onCancel={() => setChanging(false)}
            />
          )}
        </Latest>
      ) : (
        <CardActions {...{ rule, mayWrite, onChanged, onShow }} onChange={() => setChanging(true)} />
      )}
    </article>
  )
}

function CardActions({
  rule: { id, name, active },
  mayWrite,
  onChanged,
  onShow,
  onChange,
}: Omit<CardProps, 'around'> & { onChange(): void }) {
  const [isDeleting, setDeleting] = useState(false)
  const { isBusy, error, run } = useSending()
  const path = { id }

  /** Reads the rule first: a switch must not take back what somebody else has just changed. */
  async function flip() {
    const { value, version } = await readVersion('GET /v1/store/rules/{id}', { path })
    const body = { ...value, active: !active }
    await call('PUT /v1/store/rules/{id}', { path, body, ifMatch: version })
    onChanged()
  }

  return (
    <>
      {error && <Failure error={error} />}
      <p class="actions">
        <button type="button" onClick={onShow}>
          {t.showChange}
        </button>
        {mayWrite && (
          <>
            <button type="button" disabled={isBusy} onClick={onChange}>
              {t.change}
            </button>
            <button type="button" disabled={isBusy} onClick={() => run(flip)}>
              {active ? t.switchOff : t.switchOn}
            </button>
            <button type="button" class="link danger" onClick={() => setDeleting(true)}>
              {t.delete}
            </button>
          </>
        )}
      </p>
      {isDeleting && (
        <Confirm
          question={t.deleteSure(name)}
          action={t.delete}
          onConfirm={async () => {
            await call('DELETE /v1/store/rules/{id}', { path })
            onChanged()
          }}
          onClose={() => setDeleting(false)}
        >
          <p>{t.deleteHint}</p>
        </Confirm>
      )}
    </>
  )
}
