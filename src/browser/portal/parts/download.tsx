import { useState } from 'preact/hooks'
import { type CallError, toCallError } from '../api/errors.ts'
import { Failure } from './panel.tsx'

/** Hands a file to the browser's downloads. */
function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** A button for a file that only a call with a token gets, where a link does not. */
export function Download({
  label,
  name,
  load,
}: {
  label: string
  /** Name of the file. */
  name: string
  load(): Promise<Response>
}) {
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')

  async function download() {
    setState('busy')
    try {
      save(await (await load()).blob(), name)
      setState('idle')
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <>
      <button type="button" disabled={state === 'busy'} onClick={download}>
        {label}
      </button>
      {state instanceof Error && <Failure error={state} />}
    </>
  )
}
