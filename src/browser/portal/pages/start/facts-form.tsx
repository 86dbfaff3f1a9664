import { useState } from 'preact/hooks'
import type { StoreSettings } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { readFaults } from '../../api/faults.ts'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { me } from '../../shell/me.ts'
import { useSignal } from '../../signal.ts'
import { guessCurrency, listCurrencies, listLanguages } from './guesses.ts'
import { t } from './texts/texts.ts'

/** Where the shop is, what it charges in, and what it speaks: what the widget and the addresses of results are made of. */
export function FactsForm({ onSaved }: { onSaved?: () => void }) {
  const mayChange = useSignal(me)?.powers.includes('security:manage') ?? false
  const [settings, retry] = useLoad(
    async (signal) => (mayChange ? call('GET /v1/store/settings', { signal }) : null),
    [mayChange],
  )
  if (settings.state === 'failed') return <Failure error={settings.error} onRetry={retry} />
  if (settings.state === 'loading') return null
  if (!settings.value) return <p class="muted">{t.factsNoRights}</p>
  return <Facts settings={settings.value} onSaved={onSaved} />
}

/** People type the name of their shop's host; the API wants the whole address. */
const withScheme = (text: string): string =>
  text.trim() === '' || /^https?:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`

function Facts({ settings, onSaved }: { settings: StoreSettings; onSaved: (() => void) | undefined }) {
  const [shop, setShop] = useState(settings.shop_url ?? '')
  const [currency, setCurrency] = useState(settings.currency ?? guessCurrency(navigator.language))
  const [locale, setLocale] = useState(settings.locale ?? navigator.language)
  const [state, setState] = useState<'idle' | 'busy' | 'saved' | CallError>('idle')
  const error = state instanceof Error ? state : null
  const faults = readFaults(error)

  async function save(event: Event) {
    event.preventDefault()
    if (state === 'busy') return
    setState('busy')
    try {
      const saved = await call('PATCH /v1/store/settings', {
        body: { shop_url: withScheme(shop) || null, currency: currency || null, locale },
      })
      setShop(saved.shop_url ?? '')
      setState('saved')
      onSaved?.()
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <form class="shop-facts" onSubmit={save}>
      <Field
        {...{ label: t.shop, value: shop, onValue: setShop, hint: t.shopHint }}
        inputMode="url"
        autocomplete="url"
        error={faults['/shop_url'] && t.shopWrong}
      />
      <div class="pair">
        <Choice
          {...{ label: t.currency, value: currency, onValue: setCurrency }}
          choices={[['', t.currencyNone], ...listCurrencies()]}
        />
        <Choice
          {...{ label: t.language, value: locale, onValue: setLocale }}
          choices={listLanguages(locale)}
        />
      </div>
      {error && Object.keys(faults).length === 0 && <Failure error={error} />}
      <p class="actions">
        <button type="submit" disabled={state === 'busy'}>
          {t.factsSave}
        </button>
        <span role="status">{state === 'saved' && t.factsSaved}</span>
      </p>
    </form>
  )
}
