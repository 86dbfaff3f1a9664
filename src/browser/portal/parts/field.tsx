import type { InputHTMLAttributes } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

export interface FieldProps extends Omit<InputHTMLAttributes, 'onInput' | 'value'> {
  label: string
  value: string
  onValue(value: string): void
  hint?: string | undefined
  error?: string | undefined
  /** Takes the keyboard when it appears. */
  takesFocus?: boolean
}

/** One input with its label, what helps to fill it, and what is wrong with it. */
export function Field({ label, value, onValue, hint, error, takesFocus, ...input }: FieldProps) {
  const id = useId()
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus) box.current?.focus()
  }, [takesFocus])
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        ref={box}
        id={id}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="wrong" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
