import { useState } from 'preact/hooks'
import type { CallError } from '../api/errors.ts'
import { t } from '../texts/texts.ts'
import { Failure } from './panel.tsx'
import { useLoad } from './use-load.ts'

/** The fields of something as a form shows them, by their labels. */
export type Shown = Readonly<Record<string, string>>

/** The present version, where a change was refused because somebody else was faster; null for every other failure. */
function readConflict(error: CallError | null): string | null {
  const version = error?.status === 409 ? error.details['etag'] : undefined
  return typeof version === 'string' ? version : null
}

interface NotSavedProps extends Pick<ConflictProps, 'before' | 'load' | 'isBusy'> {
  error: CallError | null
  /** Saves over the version that is there now. */
  onSave(version: string): void
}

/** Says in a form why it was not saved. */
export function NotSaved({ error, onSave, ...form }: NotSavedProps) {
  const version = readConflict(error)
  if (version !== null) return <Conflict {...form} onSave={() => onSave(version)} />
  return error && <Failure error={error} />
}

interface ConflictProps {
  /** What the form started from. */
  before: Shown
  /** Reads what is there now. */
  load(signal: AbortSignal): Promise<Shown>
  isBusy: boolean
  onSave(): void
}

/** Stands in a form whose thing somebody else has changed. What was typed stays; the person looks first, or saves anyway. */
function Conflict({ before, load, isBusy, onSave }: ConflictProps) {
  const [isShown, setShown] = useState(false)
  return (
    <div class="note conflict" role="alert">
      <p>
        <strong>{t.conflict}</strong>
      </p>
      <p>{t.conflictHint}</p>
      {isShown && <Changes {...{ before, load }} />}
      <p class="actions">
        {!isShown && (
          <button type="button" onClick={() => setShown(true)}>
            {t.showChanges}
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={onSave}>
          {t.saveAnyway}
        </button>
      </p>
    </div>
  )
}

function Changes({ before, load }: Pick<ConflictProps, 'before' | 'load'>) {
  const [loaded, retry] = useLoad(load, [])
  if (loaded.state === 'loading') return <p class="muted">{t.loading}</p>
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  const now = loaded.value
  const labels = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  const changed = labels.filter((label) => (before[label] ?? '') !== (now[label] ?? ''))
  if (changed.length === 0) return <p>{t.nothingChanged}</p>
  return (
    <dl>
      {changed.map((label) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <s dir="auto">{before[label] || t.noValue}</s> →{' '}
            <strong dir="auto">{now[label] || t.noValue}</strong>
          </dd>
        </div>
      ))}
    </dl>
  )
}
