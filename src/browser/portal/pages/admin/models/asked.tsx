import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type CallError, toCallError } from '../../../api/errors.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Failure } from '../../../parts/panel.tsx'
import { Command } from '../act.tsx'
import { t } from './texts/texts.ts'

interface AskedProps {
  /** What the button says that asks. */
  label: string
  /** Tells two buttons of the same words apart. */
  about?: string
  class?: string
  isBlocked?: boolean
  question: string
  /** What happens then. */
  children: ComponentChildren
  /** The verb with its object, in the dialog. */
  action: string
  kind?: 'danger' | 'primary'
  /** What leaves all as it is. */
  otherwise?: string
  /** The line of the command line that does the same. */
  command: string
  run(): Promise<unknown>
  /** Looks at what there is now; also after a refusal, because another operator may have been faster. */
  refresh(): void
}

const isConflict = (thrown: unknown): boolean => toCallError(thrown).status === 409

/** A button that asks once, and says what happens. */
export function Asked(props: AskedProps) {
  const { label, about, class: name, isBlocked = false, children, command, run, refresh, ...asked } = props
  const [state, setState] = useState<'closed' | 'open' | 'overtaken'>('closed')

  const confirm = () =>
    run()
      .catch((thrown: unknown) => {
        if (isConflict(thrown)) setState('overtaken')
        throw thrown
      })
      .finally(refresh)

  return (
    <>
      <button
        type="button"
        class={name}
        aria-label={about === undefined ? undefined : `${label}: ${about}`}
        disabled={isBlocked}
        onClick={() => setState('open')}
      >
        {label}
      </button>
      {state !== 'closed' && (
        <Confirm {...asked} onConfirm={confirm} onClose={() => setState('closed')}>
          {children}
          <Command line={command} />
          {state === 'overtaken' && <p class="note">{t.changed}</p>}
        </Confirm>
      )}
    </>
  )
}

/** Why something was not done that needs no question. */
export const Refused = ({ error }: { error: CallError }) => (
  <>
    {isConflict(error) && <p class="note">{t.changed}</p>}
    <Failure error={error} />
  </>
)
