import { useState } from 'preact/hooks'
import type { Feed } from '#generated/api.ts'
import { pickChanges } from '../../api/changes.ts'
import { call, type Versioned } from '../../api/client.ts'
import { Choice } from '../../parts/choice.tsx'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Field } from '../../parts/field.tsx'
import { Latest } from '../../parts/latest.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { hasLogin, withLogin, withoutLogin } from './address.ts'
import { t } from './texts/texts.ts'

const INTERVALS = ['60', '360', '1440', '10080'] as const

type LoginChoice = 'none' | 'kept' | 'new'

interface FormProps {
  onDone(): void
  onCancel(): void
}

/** Changes a feed. */
export const ChangeFeed = ({ id, ...form }: FormProps & { id: string }) => (
  <Latest of="GET /v1/feeds/{id}" id={id}>
    {(latest) => <FeedForm {...{ latest, ...form }} />}
  </Latest>
)

/** What the form shows of a feed, by its labels. */
const show = ({ url, interval_minutes, delete_missing }: Feed): Shown => ({
  [t.address]: withoutLogin(url),
  [t.login]: hasLogin(url) ? t.loginKept : t.loginNone,
  [t.every]: nameInterval(interval_minutes),
  [t.deletes]: delete_missing ? '✓' : '',
})

function nameInterval(minutes: number): string {
  const known = INTERVALS.find((one) => Number(one) === minutes)
  return known ? t.intervals[known] : String(minutes)
}

/** Asks for the address of a file, and how often it is read. @param latest the feed that is changed; a new one is made without it. */
export function FeedForm({ latest, onDone, onCancel }: FormProps & { latest?: Versioned<Feed> }) {
  const feed = latest?.value
  const isKnown = feed !== undefined && hasLogin(feed.url)
  const [url, setUrl] = useState(feed ? withoutLogin(feed.url) : '')
  const [login, setLogin] = useState<LoginChoice>(isKnown ? 'kept' : 'none')
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [interval, setInterval] = useState(String(feed?.interval_minutes ?? 1_440))
  const [deletes, setDeletes] = useState(feed?.delete_missing ?? false)
  const { isBusy, error, run } = useSending()

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    const address = withLogin(
      url.trim(),
      login === 'new' ? { user, password } : login === 'kept' ? 'kept' : null,
    )
    const body = { url: address, interval_minutes: Number(interval), delete_missing: deletes }
    if (feed)
      await call('PATCH /v1/feeds/{id}', { path: { id: feed.id }, body: pickChanges(feed, body), ifMatch })
    else await call('POST /v1/feeds', { body })
    onDone()
  }

  const logins: [LoginChoice, string][] = [
    ...(isKnown ? ([['kept', t.loginKept]] as [LoginChoice, string][]) : []),
    ['none', t.loginNone],
    ['new', t.loginNew],
  ]
  return (
    <form
      class="feed-form"
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(latest?.version ?? null))
      }}
      aria-label={feed ? t.change : t.add}
    >
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
      <NotSaved
        {...{ error, isBusy }}
        before={feed ? show(feed) : {}}
        load={async (signal) =>
          show(await call('GET /v1/feeds/{id}', { path: { id: feed?.id ?? '' }, signal }))
        }
        onSave={(present) => run(() => save(present))}
      />
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {feed ? t.save : t.create}
        </button>
        <button type="button" onClick={onCancel}>
          {t.cancel}
        </button>
      </p>
    </form>
  )
}
