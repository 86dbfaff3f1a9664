import type { ComponentChildren } from 'preact'
import type { CallError } from '../../api/errors.ts'
import { Failure } from '../../parts/panel.tsx'
import type { Sending } from '../../parts/use-sending.ts'
import { t as shell } from '../../texts/texts.ts'
import { useTitle } from './link.tsx'

interface LinkFormProps {
  heading: string
  hint?: string
  /** What the button says. */
  button: string
  busy: string
  sending: Sending
  /** Whether a failure has its own words in the form. */
  isExplained?(error: CallError): boolean
  onSubmit(): Promise<unknown>
  /** The fields. */
  children?: ComponentChildren
}

/** The form of a page behind a link. A failure leaves what was typed, and stands above the button. */
export function LinkForm({ heading, hint, button, busy, sending, ...rest }: LinkFormProps) {
  const { error, isBusy } = sending
  useTitle(heading)
  return (
    <>
      <h1>{heading}</h1>
      {hint && <p>{hint}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          sending.run(rest.onSubmit)
        }}
      >
        {rest.children}
        {error?.status === 429 ? (
          <p class="wrong" role="alert">
            {shell.wait(error.retryAfter ?? 60)}
          </p>
        ) : (
          error && !rest.isExplained?.(error) && <Failure error={error} />
        )}
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? busy : button}
          </button>
        </p>
      </form>
    </>
  )
}
