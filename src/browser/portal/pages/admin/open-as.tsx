import { useState } from 'preact/hooks'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Failure } from '../../parts/panel.tsx'
import { openStore } from '../../shell/opening.ts'
import { go } from '../../shell/routes.ts'
import { t } from './texts/texts.ts'

interface OpenAsProps {
  id: string
  name: string
  /** The page of the store to go to. */
  address: string
  class?: string
}

/** Begins to act for a store, which its log says, and goes there. */
export function OpenAs({ id, name, address, class: kind }: OpenAsProps) {
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')

  async function open() {
    setState('busy')
    try {
      await openStore(id)
      go(address)
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <>
      <button
        type="button"
        class={kind}
        aria-label={`${t.openAs}: ${name}`}
        disabled={state === 'busy'}
        onClick={open}
      >
        {t.openAs}
      </button>
      {state instanceof Error && <Failure error={state} />}
    </>
  )
}
