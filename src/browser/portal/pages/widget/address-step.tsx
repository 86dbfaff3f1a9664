import { useState } from 'preact/hooks'
import type { CheckedAddress } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useAction } from '../../parts/use-action.ts'
import type { FactsProps } from './system-step.tsx'
import { SYSTEMS } from './systems.ts'
import { t } from './texts/texts.ts'

/** Longer templates are refused. */
const TEMPLATE_CHARS_MAX = 2_000

/** The third step: without an address, a result leads nowhere. */
export function AddressStep({ settings, onFacts }: FactsProps) {
  const usual = SYSTEMS[settings?.shop_system ?? 'other'].template
  const [typed, setTyped] = useState<string | null>(null)
  const [checked, setChecked] = useState<readonly CheckedAddress[] | null>(null)
  const saved = settings?.product_url_template ?? ''
  const template = typed ?? (saved || usual)
  const test = useAction(async () => {
    setChecked(null)
    setChecked(await call('POST /v1/store/check-addresses', { body: { product_url_template: template } }))
  })
  const save = useAction(() => onFacts({ product_url_template: template || null }))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        test.run()
      }}
    >
      <h2>{t.address}</h2>
      {settings ? (
        <>
          <Field
            label={t.template}
            hint={t.addressHint}
            value={template}
            onValue={(text) => {
              setTyped(text)
              setChecked(null)
            }}
            maxLength={TEMPLATE_CHARS_MAX}
            required
            spellcheck={false}
          />
          <p class="actions">
            <button type="submit" disabled={test.isBusy}>
              {test.isBusy ? t.testing : t.test}
            </button>
            {template !== saved && (
              <button type="button" disabled={save.isBusy} onClick={save.run}>
                {t.save}
              </button>
            )}
            {save.isDone && template === saved && <span role="status">{t.saved} ✓</span>}
          </p>
          {checked && <Checked checked={checked} />}
          {test.error && <Failure error={test.error} />}
          {save.error && <Failure error={save.error} />}
        </>
      ) : (
        <p class="muted">{t.factsLocked}</p>
      )}
    </form>
  )
}

function Checked({ checked }: { checked: readonly CheckedAddress[] }) {
  if (checked.length === 0) return <p role="status">{t.noneFits}</p>
  return (
    <div role="status">
      <ul class="verdicts">
        {checked.map((one) => (
          <Verdict key={one.product_id} isGood={opens(one)}>
            <a href={one.url} target="_blank" rel="noopener noreferrer">
              {describe(one)}
            </a>
          </Verdict>
        ))}
      </ul>
    </div>
  )
}

const opens = ({ status }: CheckedAddress): boolean => status !== null && status < 400

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function describe(one: CheckedAddress): string {
  const path = pathOf(one.url)
  if (opens(one)) return t.opens(path)
  if (one.failure) return t.unreachable(path, t.why[one.failure.reason] ?? one.failure.message)
  return t.answers(path, one.status ?? 0)
}

/** A fact with its sign. */
export const Verdict = ({ isGood, children }: { isGood: boolean; children: preact.ComponentChildren }) => (
  <li data-good={isGood}>
    <span aria-hidden="true">{isGood ? '✓' : '✗'}</span>
    <span>{children}</span>
  </li>
)
