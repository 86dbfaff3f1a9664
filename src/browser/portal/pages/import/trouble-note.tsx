import { Failure } from '../../parts/panel.tsx'
import { listProblems } from './calls.ts'
import { t } from './texts/texts.ts'
import type { Trouble } from './use-import.ts'

/** Says in a sentence what is wrong with the file, and what to do. */
export function TroubleNote({ trouble, name, onAgain }: { trouble: Trouble; name: string; onAgain(): void }) {
  if (trouble.kind === 'other') return <Failure error={trouble.error} onRetry={onAgain} />
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{t.troubles[trouble.kind]}</strong>
      </p>
      {trouble.kind === 'unreadable' ? (
        listProblems(trouble.error).map(({ message }) => (
          <p key={message} lang="en" dir="auto">
            {message}
          </p>
        ))
      ) : (
        <p>{t.cures[trouble.kind]}</p>
      )}
      {trouble.kind === 'expired' && (
        <button type="button" onClick={onAgain}>
          <span dir="auto">{t.sendAgain(name)}</span>
        </button>
      )}
    </div>
  )
}
