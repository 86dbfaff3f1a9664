import { useState } from 'preact/hooks'
import {
  findShapeFault,
  isPersonal,
  PASSWORD_CHARS,
  type PasswordOwner,
} from '../../../core/password-shape.ts'
import { t } from '../texts/texts.ts'
import { Field } from './field.tsx'

/** From this length on a password is called good: it is twice what the rule asks for. */
const GOOD_CHARS = 2 * PASSWORD_CHARS.min

const isFault = (code: string): code is keyof typeof t.passwordFaults => Object.hasOwn(t.passwordFaults, code)

/** Says why the API refused a password. @param code of the problem, if it has one. */
export const describeFault = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : t.passwordFaults[isFault(code) ? code : 'common']

/** Says what the rule of the API says. Only the list of common passwords is too long for a page: the API looks there. */
function describePassword(password: string, owner: PasswordOwner): string {
  const fault = findShapeFault(password) ?? (isPersonal(password, owner) ? 'personal' : undefined)
  if (fault === 'min_length') return t.passwordMore(PASSWORD_CHARS.min - [...password].length)
  if (fault) return t.passwordFaults[fault]
  return [...password].length < GOOD_CHARS ? t.passwordFits : t.passwordGood
}

interface NewPasswordProps extends PasswordOwner {
  label: string
  value: string
  onValue(value: string): void
  error?: string | undefined
  /** Takes the keyboard when it appears. */
  takesFocus?: boolean
}

/** A field for a password that somebody chooses, with a meter by the rule of the API. */
export function NewPassword({ label, value, onValue, error, takesFocus, ...owner }: NewPasswordProps) {
  const [isShown, setShown] = useState(false)
  // The API knows more words than the page: what it refused is not called good beside the refusal.
  const hint = error ? undefined : value === '' ? t.passwordHint : describePassword(value, owner)
  return (
    <div class="new-password">
      <Field
        {...{ label, value, onValue, error, name: 'password', hint }}
        {...(takesFocus && { takesFocus })}
        type={isShown ? 'text' : 'password'}
        autocomplete="new-password"
        required
      />
      <meter
        aria-label={t.passwordMeter}
        min={0}
        low={PASSWORD_CHARS.min}
        high={GOOD_CHARS - 1}
        optimum={GOOD_CHARS}
        max={GOOD_CHARS}
        value={
          findShapeFault(value) ? Math.min([...value].length, PASSWORD_CHARS.min - 1) : [...value].length
        }
      />
      <label class="check">
        <input type="checkbox" checked={isShown} onChange={() => setShown(!isShown)} />
        {t.showPassword}
      </label>
    </div>
  )
}
