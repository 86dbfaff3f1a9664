import { useState } from 'preact/hooks'
import type { Session } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatAgo, formatMoment } from '../../language.ts'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { describeBrowser } from './browsers.ts'
import { t } from './texts/texts.ts'

/** Where the person is signed in, and how to end what is not theirs. */
export function SignIns() {
  const [list, retry] = useLoad((signal) => call('GET /v1/me/sessions', { signal }), [])
  const [error, setError] = useState<CallError | null>(null)

  async function run(work: () => Promise<unknown>) {
    setError(null)
    try {
      await work()
      retry()
    } catch (thrown) {
      setError(toCallError(thrown))
    }
  }
  const end = (id: string) =>
    run(() => call('DELETE /v1/me/sessions/{session_id}', { path: { session_id: id } }))

  if (list.state === 'failed') return <Failure error={list.error} onRetry={retry} />
  const sessions = list.state === 'there' ? list.value.sessions : []
  return (
    <>
      <h2>{t.signIns}</h2>
      {error && <Failure error={error} />}
      <ul class="sign-ins" aria-busy={list.state === 'loading'}>
        {sessions.map((session) => (
          <SignIn key={session.id} {...session} onEnd={() => end(session.id)} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <p>
          <button type="button" onClick={() => run(() => call('DELETE /v1/me/sessions'))}>
            {t.endOthers}
          </button>
        </p>
      )}
    </>
  )
}

function SignIn({ onEnd, ...session }: Session & { onEnd(): void }) {
  const { user_agent, ip_address, last_used_at, is_current, two_factor } = session
  const browser = describeBrowser(user_agent)
  return (
    <li>
      <span>
        <strong>{browser ? t.browser(browser.name, browser.system) : t.program}</strong>
        {is_current && <span class="state"> · {t.thisOne}</span>}
        <span class="muted" title={formatMoment(last_used_at)}>
          {[ip_address, two_factor && t.withCode, formatAgo(last_used_at)].filter(Boolean).join(' · ')}
        </span>
      </span>
      {!is_current && (
        <button type="button" onClick={onEnd}>
          {t.end}
        </button>
      )}
    </li>
  )
}
