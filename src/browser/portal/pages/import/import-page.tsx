import type { PageProps } from '../../shell/routes.ts'
import { addressOf } from '../../shell/routes.ts'
import { ChooseFile } from './choose-file.tsx'
import { Findings } from './findings.tsx'
import { t } from './texts/texts.ts'
import { TroubleNote } from './trouble-note.tsx'
import { type Busy, useImport } from './use-import.ts'

/** Products from a file: choose it, look at what it would become, import it. */
export function Page({ store, can }: PageProps) {
  const file = useImport()
  if (!can('products:bulk'))
    return (
      <>
        <h1>{t.heading}</h1>
        <p class="empty">{t.noRights}</p>
      </>
    )
  const { known, busy, trouble } = file
  return (
    <div class="import">
      <div class="heading">
        <h1>{known ? t.isRight : t.heading}</h1>
        {file.file && (
          <p class="muted" dir="auto">
            {file.file.name}
          </p>
        )}
      </div>
      {trouble && <TroubleNote trouble={trouble} name={file.file?.name ?? ''} onAgain={file.again} />}
      {!known && busy && <Waiting busy={busy} onCancel={file.forget} />}
      {!busy && (!known || trouble) && (
        <ChooseFile
          isFirst={!file.file}
          feeds={can('products:read') ? `${addressOf(store, 'feeds')}?new=1` : null}
          // The same table is read as before; another one would not have these columns.
          onFile={(chosen) => file.begin(chosen, trouble?.kind === 'expired' ? file.own : {})}
        />
      )}
      {known && file.file && <Findings {...{ store, can, known, file }} chosen={file.file} />}
    </div>
  )
}

/** The file on its way, then the first pictures on theirs. */
function Waiting({ busy, onCancel }: { busy: Busy; onCancel(): void }) {
  const isSent = busy.sent >= 1
  const label = isSent ? t.reading : t.sending
  return (
    <>
      <p class="job" role="status">
        <span>{label}</span>
        {isSent ? <progress aria-label={label} /> : <progress value={busy.sent} max={1} aria-label={label} />}
        <button type="button" class="link" onClick={onCancel}>
          {t.cancel}
        </button>
      </p>
      <ul class="grid skeleton" aria-hidden="true">
        {Array.from({ length: 12 }, (_, n) => (
          <li key={n}>
            <span class="picture" />
            <span class="bone" />
          </li>
        ))}
      </ul>
    </>
  )
}
