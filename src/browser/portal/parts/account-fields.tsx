import { t } from '../texts/texts.ts'
import { Field } from './field.tsx'
import { describeFault, NewPassword } from './new-password.tsx'

/** What a new account begins with. */
export interface NewAccount {
  email: string
  password: string
  /** Name of the store. */
  store: string
}

export const NO_ACCOUNT: NewAccount = { email: '', password: '', store: '' }

interface AccountFieldsProps {
  account: NewAccount
  onAccount(account: NewAccount): void
  storeLabel: string
  /** What is wrong with each; the password's is the code of the API. */
  errors: Readonly<Record<keyof NewAccount, string | undefined>>
}

/** E-mail address, password and name of the store. */
export function AccountFields({ account, onAccount, storeLabel, errors }: AccountFieldsProps) {
  const { email, password, store } = account
  const change = (part: Partial<NewAccount>) => onAccount({ ...account, ...part })
  return (
    <>
      <Field
        {...{ label: t.email, value: email, type: 'email', name: 'email', error: errors.email }}
        onValue={(value) => change({ email: value })}
        autocomplete="username"
        maxLength={320}
        required
        takesFocus
      />
      <NewPassword
        {...{ label: t.password, value: password, email, storeName: store }}
        onValue={(value) => change({ password: value })}
        error={describeFault(errors.password)}
      />
      <Field
        {...{ label: storeLabel, value: store, name: 'store', error: errors.store }}
        onValue={(value) => change({ store: value })}
        autocomplete="organization"
        maxLength={100}
        required
      />
    </>
  )
}
