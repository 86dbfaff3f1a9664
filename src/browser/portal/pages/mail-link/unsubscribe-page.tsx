import { useState } from 'preact/hooks'
import { send } from '../../api/transport.ts'
import { useSending } from '../../parts/use-sending.ts'
import { Incomplete, Said, useToken } from './link.tsx'
import { LinkForm } from './link-form.tsx'
import { t } from './texts/texts.ts'

/** Ends the weekly mail of a store by the link in it. Opening the page ends nothing: programs open links, too. */
export function Page() {
  const token = useToken()
  const sending = useSending()
  const [wants, setWants] = useState<boolean | null>(null)

  async function choose(wantsMail: boolean) {
    await send('POST', '/unsubscribe', { body: { token, wants_mail: wantsMail } })
    setWants(wantsMail)
  }

  if (token === '') return <Incomplete />
  if (sending.error?.status === 401) return <Said heading={t.dead} text={t.unsubscribeDeadHint} />
  if (wants === true) return <Said heading={t.resubscribed} text={t.resubscribedHint} />
  return (
    <LinkForm
      {...(wants === false
        ? { heading: t.unsubscribed, hint: t.unsubscribedHint, button: t.resubscribe }
        : { heading: t.unsubscribe, hint: t.unsubscribeHint, button: t.unsubscribeNow })}
      {...{ busy: t.unsubscribing, sending }}
      onSubmit={() => choose(wants === false)}
    />
  )
}
