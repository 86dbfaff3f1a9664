import { useState } from 'preact/hooks'
import type { EmailStep } from '#generated/api.ts'
import { send } from '../../api/transport.ts'
import { useSending } from '../../parts/use-sending.ts'
import { AccountLink, AddressTaken, EmailChanged, endsChange } from './email-outcome.tsx'
import { forgetToken, Incomplete, Said, useToken } from './link.tsx'
import { LinkForm } from './link-form.tsx'
import { t } from './texts/texts.ts'

/** Approves a new e-mail address, by the link to the present one. */
export function Page() {
  const token = useToken()
  const sending = useSending()
  const [done, setDone] = useState<EmailStep['status'] | null>(null)

  async function approve() {
    const { status } = (await send('POST', '/verify/email/approve', { body: { token } })) as EmailStep
    forgetToken()
    setDone(status)
  }

  if (done === 'email_changed') return <EmailChanged />
  if (done === 'waiting') return <Said heading={t.approved} text={t.approvedHint} />
  if (token === '') return <Incomplete />
  if (endsChange(sending.error)) return <AddressTaken />
  if (sending.error?.status === 401)
    return (
      <Said heading={t.dead} text={t.emailDeadHint}>
        <AccountLink />
      </Said>
    )
  return (
    <>
      <LinkForm
        {...{ heading: t.approve, hint: t.approveHint, button: t.approveEmail, busy: t.approving, sending }}
        onSubmit={approve}
      />
      <p class="muted">
        {t.notYouApprove} <a href="/forgot">{t.newPasswordLink}</a>
      </p>
    </>
  )
}
