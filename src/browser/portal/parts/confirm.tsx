import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type CallError, toCallError } from '../api/errors.ts'
import { t } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Failure } from './panel.tsx'

interface ConfirmProps {
  /** The question, such as "Delete the endpoint shop.example?". */
  question: string
  /** What will be gone, or what stops to work. */
  children: ComponentChildren
  /** The verb with its object, on the button. */
  action: string
  /** What must be typed before the button works; for a whole store. */
  typed?: string
  /** How the button looks, where nothing is lost. */
  kind?: 'danger' | 'primary'
  /** What leaves all as it is, where "Cancel" would be ambiguous. */
  otherwise?: string
  /** A failure stays in the dialog, which closes when this is done. */
  onConfirm(): Promise<unknown>
  onClose(): void
}

/** Asks once before something is lost or much begins, and names it. */
export function Confirm(props: ConfirmProps) {
  const {
    question,
    children,
    action,
    typed,
    kind = 'danger',
    otherwise = t.cancel,
    onConfirm,
    onClose,
  } = props
  const [text, setText] = useState('')
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  const isBusy = state === 'busy'

  async function confirm(event: Event) {
    event.preventDefault()
    if (isBusy) return
    setState('busy')
    try {
      await onConfirm()
      onClose()
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <Dialog class="asked" label={question} onClose={() => isBusy || onClose()}>
      <form onSubmit={confirm}>
        <h2 dir="auto">{question}</h2>
        {children}
        {typed !== undefined && (
          <Field
            label={t.typeToConfirm(typed)}
            value={text}
            onValue={setText}
            autocomplete="off"
            takesFocus
          />
        )}
        {state instanceof Error && <Failure error={state} />}
        <p class="actions">
          <button
            type="submit"
            class={kind}
            disabled={isBusy || (typed !== undefined && text.trim() !== typed)}
          >
            {action}
          </button>
          <button type="button" disabled={isBusy} onClick={onClose}>
            {otherwise}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
