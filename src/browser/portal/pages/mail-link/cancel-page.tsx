import { useState } from 'preact/hooks'
import { send } from '../../api/transport.ts'
import { useSending } from '../../parts/use-sending.ts'
import { forgetToken, hashOf, Incomplete, Said, useToken } from './link.tsx'
import { LinkForm } from './link-form.tsx'
import { t } from './texts/texts.ts'

/** Deletes the registrations that strangers made with the reader's address. */
export function Page() {
  const token = useToken()
  const sending = useSending()
  const [isDone, setDone] = useState(false)

  async function cancel() {
    await send('POST', '/verify/cancel', { body: { token } })
    forgetToken()
    setDone(true)
  }

  if (isDone)
    return (
      <Said heading={t.cancelled} text={t.cancelledHint}>
        <a href="/forgot">{t.newPasswordLink}</a>
      </Said>
    )
  if (token === '') return <Incomplete />
  return (
    <>
      <LinkForm
        {...{ heading: t.cancel, hint: t.cancelHint, button: t.cancelRequests, busy: t.cancelling, sending }}
        onSubmit={cancel}
      />
      <p class="muted">
        {t.wasYou} <a href={`/verify${hashOf(token)}`}>{t.openAccount}</a>
      </p>
    </>
  )
}
