import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Copied } from '../../parts/copy.tsx'
import { Failure } from '../../parts/panel.tsx'
import { t } from './texts/texts.ts'

export interface ActProps {
  /** The verb with its object, on the button. */
  label: string
  hint?: string | undefined
  /** Fields that the deed needs. */
  children?: ComponentChildren
  /** The line of the command line that does the same. */
  command?: string | undefined
  kind?: 'primary' | 'danger' | undefined
  isBlocked?: boolean
  /** @returns what to tell when it is done. */
  run(): Promise<ComponentChildren>
}

/** One deed of the operator: what it does, its button, its command, and in their place what came of it or why nothing did. */
export function Act({ label, hint, children, command, kind, isBlocked = false, run }: ActProps) {
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  const [told, setTold] = useState<ComponentChildren>(null)

  async function submit(event: Event) {
    event.preventDefault()
    if (state === 'busy') return
    setState('busy')
    setTold(null)
    try {
      setTold(await run())
      setState('idle')
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <form class="act" onSubmit={submit}>
      {hint && <p class="muted">{hint}</p>}
      {children}
      <p class="actions">
        <button type="submit" class={kind} disabled={isBlocked || state === 'busy'}>
          {label}
        </button>
      </p>
      {state instanceof Error && <Failure error={state} />}
      <div role="status">{told}</div>
      {command && <Command line={command} />}
    </form>
  )
}

/** The same at the command line, to take along. */
export const Command = ({ line }: { line: string }) => (
  <details class="twin">
    <summary>{t.atCommandLine}</summary>
    <Copied text={line} />
  </details>
)
