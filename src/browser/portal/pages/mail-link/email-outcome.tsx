import type { CallError } from '../../api/errors.ts'
import { t as shell } from '../../texts/texts.ts'
import { Said } from './link.tsx'
import { t } from './texts/texts.ts'

/** What both links of a change of the e-mail address may come to. */
export const EmailChanged = () => <Said heading={t.emailChanged} text={t.emailChangedHint} />

/** Whether a failure ends the change, whatever is typed. */
export const endsChange = (error: CallError | null): boolean => error?.status === 409

export const AddressTaken = () => (
  <Said heading={t.taken} text={t.takenHint}>
    <AccountLink />
  </Said>
)

export const AccountLink = () => <a href="/portal/account">{shell.myAccount}</a>
