import type { ComponentChildren } from 'preact'
import { t } from '../texts/texts.ts'
import { Failure } from './panel.tsx'
import type { Loaded } from './use-load.ts'

/** What was loaded, or the shape of what comes, or why it is missing. A missing right is said in words. */
export function Show<Value>({
  of: [loaded, retry],
  children,
}: {
  of: readonly [Loaded<Value>, () => void]
  children(value: Value): ComponentChildren
}) {
  if (loaded.state === 'there') return <>{children(loaded.value)}</>
  if (loaded.state === 'loading') return <Lines />
  if (loaded.error.status === 403) return <p class="muted">{t.mayNot}</p>
  return <Failure error={loaded.error} onRetry={retry} />
}

const Lines = () => (
  <div class="skeleton" aria-hidden="true">
    <span class="bone" />
    <span class="bone" />
    <span class="bone" />
  </div>
)
