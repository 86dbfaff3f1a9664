import { useState } from 'preact/hooks'
import type { StoreSettings, StoreSettingsPatch } from '#generated/api.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Failure } from '../../parts/panel.tsx'
import { SYSTEM_NAMES, type System } from './systems.ts'
import { t } from './texts/texts.ts'

/** What a step that changes facts of the store needs. */
export interface FactsProps {
  /** null for a role that may not change them. */
  settings: StoreSettings | null
  onFacts(facts: StoreSettingsPatch): Promise<void>
}

/** The first step: what the shop runs on decides where the line goes. */
export function SystemStep({ settings, onFacts }: FactsProps) {
  const [error, setError] = useState<CallError | null>(null)
  const choose = (shop_system: System) => {
    setError(null)
    onFacts({ shop_system }).catch((thrown: unknown) => setError(toCallError(thrown)))
  }
  return (
    <fieldset disabled={!settings}>
      <legend>
        <h2>{t.system}</h2>
      </legend>
      <div class="systems">
        {SYSTEM_NAMES.map((name) => (
          <label key={name} class="button">
            <input
              type="radio"
              name="system"
              checked={settings?.shop_system === name}
              onChange={() => choose(name)}
            />
            {t.systems[name]}
          </label>
        ))}
      </div>
      {!settings && <p class="muted">{t.factsLocked}</p>}
      {settings?.shop_system && <p class="where">{t.where[settings.shop_system]}</p>}
      {error && <Failure error={error} />}
    </fieldset>
  )
}
