import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { Failure } from './panel.tsx'
import { useLoad } from './use-load.ts'

/** A part of a page that few people open: its script loads with the first opening. */
export function Later<Props extends object>({
  summary,
  load,
  with: props,
}: {
  summary: string
  load(): Promise<ComponentType<Props>>
  with: Props
}) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details class="later" onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}>
      <summary>{summary}</summary>
      {wasOpened && <Loaded load={load} with={props} />}
    </details>
  )
}

function Loaded<Props extends object>({
  load,
  with: props,
}: {
  load(): Promise<ComponentType<Props>>
  with: Props
}) {
  // A component is a function, which a state would take for its own reckoning: it travels in a box.
  const [loaded, retry] = useLoad(async () => ({ Part: await load() }), [])
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  return loaded.state === 'there' ? <loaded.value.Part {...props} /> : null
}
