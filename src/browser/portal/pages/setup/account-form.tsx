import { useEffect, useState } from 'preact/hooks'
import type { SetupAnswer, SlugState } from '#generated/api.ts'
import { deriveSlug } from '../../../../core/slugs.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { readFaults } from '../../api/faults.ts'
import { takeSignIn } from '../../api/session.ts'
import { send } from '../../api/transport.ts'
import { AccountFields, NO_ACCOUNT } from '../../parts/account-fields.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Steps } from '../../parts/steps.tsx'
import { rememberSecret } from '../../shell/first-secret.ts'
import { addressOf, go } from '../../shell/routes.ts'
import { readSlug } from './read-slug.ts'
import { t } from './texts/texts.ts'

/** Typing pauses this long before the address of the store is asked for. */
const PAUSE_MS = 400

/** The first of four steps: the account and the name of the store. */
export function AccountForm({ code, onUnusable }: { code: string; onUnusable(): void }) {
  const [account, setAccount] = useState(NO_ACCOUNT)
  const [error, setError] = useState<CallError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const faults = readFaults(error)

  async function submit(event: Event) {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      const answer = (await send('POST', '/setup', {
        body: { code, ...account },
      })) as SetupAnswer
      takeSignIn(answer)
      rememberSecret(answer)
      // The code is used up: it has no place in the history.
      history.replaceState(null, '', '/setup')
      go(addressOf(answer.slug, 'start'))
    } catch (thrown) {
      const failure = toCallError(thrown)
      // The link was used or has ended in the meantime: the page says so.
      if (failure.status === 401) onUnusable()
      setError(failure)
      setBusy(false)
    }
  }

  return (
    <>
      <Steps current={1} />
      <h1>{t.who}</h1>
      <p>{t.whoHint}</p>
      <form onSubmit={submit}>
        <AccountFields
          {...{ account, onAccount: setAccount, storeLabel: t.store }}
          errors={{
            email: faults['/email'] && t.badEmail,
            password: faults['/password'],
            store: faults['/store'] && t.badStore,
          }}
        />
        <SlugPreview name={account.store} code={code} />
        {error && Object.keys(faults).length === 0 && <Failure error={error} />}
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? t.making : t.make}
          </button>
        </p>
      </form>
    </>
  )
}

/** The address that a store of this name gets. */
function SlugPreview({ name, code }: { name: string; code: string }) {
  const slug = deriveSlug(name)
  const [state, setState] = useState<SlugState | null>(null)
  useEffect(() => {
    setState(null)
    if (name.trim() === '') return
    const stop = new AbortController()
    // Without an answer the preview alone is missing; the set-up finds a free address by itself.
    const look = () => readSlug(slug, code, stop.signal).then(setState, () => {})
    const timer = setTimeout(look, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [slug, name.trim() === ''])
  if (name.trim() === '') return null
  return (
    <p class="muted" aria-live="polite">
      {t.address} <code>{`${location.origin}/${slug}/portal`}</code>
      {state?.is_free === false && ` ${t.numbered}`}
    </p>
  )
}
