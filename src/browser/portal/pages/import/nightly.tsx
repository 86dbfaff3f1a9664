import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { addressOf } from '../../shell/routes.ts'
import { type Mapping, toBody } from './mapping.ts'
import { t } from './texts/texts.ts'

/** Makes a feed that reads a file like this one every night, from where the shop puts it. */
export function Nightly({ store, mapping }: { store: string; mapping: Mapping }) {
  const [url, setUrl] = useState('')
  const [state, setState] = useState<'idle' | 'busy' | 'done' | CallError>('idle')

  async function create(event: Event) {
    event.preventDefault()
    if (state === 'busy') return
    setState('busy')
    try {
      const own = toBody(mapping)
      const isOwn = Object.keys(own).length > 0
      await call('POST /v1/feeds', { body: { url: url.trim(), ...(isOwn && { mapping: own }) } })
      setState('done')
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  if (state === 'done')
    return (
      <p role="status">
        {t.feedMade} <a href={addressOf(store, 'feeds')}>{t.toFeeds}</a>
      </p>
    )
  return (
    <details>
      <summary>{t.nightly}</summary>
      <form class="nightly" onSubmit={create}>
        <Field
          label={t.nightlyAddress}
          hint={t.nightlyHint}
          type="url"
          value={url}
          onValue={setUrl}
          placeholder="https://"
          maxLength={2048}
          required
        />
        {state instanceof Error && <Failure error={state} />}
        <p>
          <button type="submit" disabled={state === 'busy'}>
            {t.nightlyMake}
          </button>
        </p>
      </form>
    </details>
  )
}
