import { useEffect, useRef } from 'preact/hooks'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { loadMe, me } from '../../shell/me.ts'
import { addressOf } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { t as shell } from '../../texts/texts.ts'
import { NameForm } from './name-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { SignIns } from './sign-ins.tsx'
import { t } from './texts/texts.ts'
import { TwoFactor } from './two-factor.tsx'
import { ViewForm } from './view-form.tsx'

/** What belongs to the person and to no store. */
export function Page() {
  // The store that somebody comes from: reading the person for no store forgets it.
  const from = useRef(me.get()?.active_store?.slug).current
  const [loaded, retry] = useLoad(() => loadMe(null), [])
  const person = useSignal(me)?.user
  useEffect(() => {
    document.title = `${shell.myAccount} · Lookalike`
  }, [])
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  if (loaded.state === 'loading' || !person) return <p class="waiting">{shell.loading}</p>
  const [only] = loaded.value.memberships
  const back = from ?? (loaded.value.memberships.length === 1 ? only?.slug : undefined)
  return (
    <div class="account roomy">
      <p>
        <a href={back === undefined ? '/portal/select-store' : addressOf(back, 'overview')}>
          {back === undefined ? shell.chooseStore : t.back}
        </a>
      </p>
      <div>
        <h1>{shell.myAccount}</h1>
        <p class="muted">{person.email}</p>
      </div>
      <Panel>
        <NameForm name={person.name} />
      </Panel>
      <Panel>
        <TwoFactor email={person.email} />
      </Panel>
      <Panel>
        <PasswordForm email={person.email} />
      </Panel>
      <Panel>
        <SignIns />
      </Panel>
      <Panel>
        <ViewForm />
      </Panel>
    </div>
  )
}
