import { useState } from 'preact/hooks'
import { readFaults } from '../../api/faults.ts'
import { Field } from '../../parts/field.tsx'
import { describeFault, NewPassword } from '../../parts/new-password.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'

/** What an account that joins begins with, beside its address. */
export interface NewMember {
  full_name: string
  password: string
}

interface JoinAsNewcomerProps {
  email: string
  storeName: string
  /** @throws CallError */
  onJoin(newcomer: NewMember): Promise<void>
}

/** Asks for the name and the password of a new account. */
export function JoinAsNewcomer({ email, storeName, onJoin }: JoinAsNewcomerProps) {
  const [full_name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { isBusy, error, run } = useSending()
  const faults = readFaults(error)
  return (
    <>
      <p>{t.newHere}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(() => onJoin({ full_name, password }))
        }}
      >
        {/* Managers of passwords save the address with the password. */}
        <input type="email" name="email" value={email} autocomplete="username" readOnly hidden />
        <Field
          {...{ label: t.yourName, value: full_name, onValue: setName, name: 'name', maxLength: 100 }}
          autocomplete="name"
          error={faults['/full_name'] && t.badName}
          required
          takesFocus
        />
        <NewPassword
          {...{ label: shell.password, value: password, onValue: setPassword, email, storeName }}
          error={describeFault(faults['/password'])}
        />
        {error && Object.keys(faults).length === 0 && <Failure error={error} />}
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? t.joining : t.join}
          </button>
        </p>
      </form>
    </>
  )
}
