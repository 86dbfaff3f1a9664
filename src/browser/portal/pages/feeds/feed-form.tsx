import { useState } from 'preact/hooks'
import type { Feed } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { hasLogin, withLogin, withoutLogin } from './address.ts'
import { t } from './texts/texts.ts'

const INTERVALS = ['60', '360', '1440', '10080'] as const

type LoginChoice = 'none' | 'kept' | 'new'

interface FormProps {
  /** The feed that is changed; a new one is made without it. */
  feed?: Feed
  onDone(): void
  onCancel(): void
}

/** Asks for the address of a file, and how often it is read. */
export function FeedForm({ feed, onDone, onCancel }: FormProps) {
  const isKnown = feed !== undefined && hasLogin(feed.url)
  const [url, setUrl] = useState(feed ? withoutLogin(feed.url) : '')
  const [login, setLogin] = useState<LoginChoice>(isKnown ? 'kept' : 'none')
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [interval, setInterval] = useState(String(feed?.interval_minutes ?? 1_440))
  const [deletes, setDeletes] = useState(feed?.delete_missing ?? false)
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')

  async function save(event: Event) {
    event.preventDefault()
    if (state === 'busy') return
    setState('busy')
    const address = withLogin(
      url.trim(),
      login === 'new' ? { user, password } : login === 'kept' ? 'kept' : null,
    )
    const body = { url: address, interval_minutes: Number(interval), delete_missing: deletes }
    try {
      if (feed) await call('PATCH /v1/feeds/{id}', { path: { id: feed.id }, body })
      else await call('POST /v1/feeds', { body })
      onDone()
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  const logins: [LoginChoice, string][] = [
    ...(isKnown ? ([['kept', t.loginKept]] as [LoginChoice, string][]) : []),
    ['none', t.loginNone],
    ['new', t.loginNew],
  ]
  return (
    <form class="feed-form" onSubmit={save} aria-label={feed ? t.change : t.add}>
      <Field
        {...{ label: t.address, hint: t.addressHint, value: url, onValue: setUrl }}
        type="url"
        placeholder="https://"
        maxLength={2048}
        required
        takesFocus
      />
      <Choice
        label={t.login}
        value={login}
        onValue={(value) => setLogin(value as LoginChoice)}
        choices={logins}
      />
      {login === 'new' && (
        <>
          <Field label={t.user} value={user} onValue={setUser} autocomplete="off" required />
          <Field
            {...{ label: t.password, value: password, onValue: setPassword }}
            type="password"
            autocomplete="off"
          />
        </>
      )}
      <Choice
        label={t.every}
        value={interval}
        onValue={setInterval}
        choices={INTERVALS.map((minutes) => [minutes, t.intervals[minutes]] as const)}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={deletes}
          onChange={({ currentTarget }) => setDeletes(currentTarget.checked)}
        />
        <span>{t.deletes}</span>
      </label>
      {state instanceof Error && <Failure error={state} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={state === 'busy'}>
          {feed ? t.save : t.create}
        </button>
        <button type="button" onClick={onCancel}>
          {t.cancel}
        </button>
      </p>
    </form>
  )
}
