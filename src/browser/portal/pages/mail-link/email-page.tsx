import { useState } from 'preact/hooks'
import type { EmailStep } from '#generated/api.ts'
import { send } from '../../api/transport.ts'
import { Field } from '../../parts/field.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { AccountLink, AddressTaken, EmailChanged, endsChange } from './email-outcome.tsx'
import { forgetToken, Incomplete, Said, useToken } from './link.tsx'
import { LinkForm } from './link-form.tsx'
import { t } from './texts/texts.ts'

/** Confirms a new e-mail address, by the link to it and the password of the account. */
export function Page() {
  const token = useToken()
  const sending = useSending()
  const [password, setPassword] = useState('')
  const [done, setDone] = useState<EmailStep['status'] | null>(null)
  const isRefused = sending.error?.status === 401

  async function confirm() {
    const { status } = (await send('POST', '/verify/email', { body: { token, password } })) as EmailStep
    forgetToken()
    setDone(status)
  }

  if (done === 'email_changed') return <EmailChanged />
  if (done === 'waiting') return <Said heading={t.confirmed} text={t.confirmedHint} />
  if (token === '') return <Incomplete />
  if (endsChange(sending.error)) return <AddressTaken />
  return (
    <>
      <LinkForm
        {...{ heading: t.email, hint: t.emailHint, button: t.confirmEmail, busy: t.confirming, sending }}
        isExplained={({ status }) => status === 401}
        onSubmit={confirm}
      >
        <Field
          {...{ label: t.accountPassword, value: password, onValue: setPassword, type: 'password' }}
          {...{ name: 'password', autocomplete: 'current-password' }}
          error={isRefused ? t.notConfirmed : undefined}
          required
          takesFocus
        />
      </LinkForm>
      {isRefused && (
        <p>
          <AccountLink />
        </p>
      )}
    </>
  )
}
