import { useState } from 'preact/hooks'
import { t } from './texts/texts.ts'

/**
 * A place to drop a file, which opens the file picker as well. The picker is not narrowed: phones hide tables whose type they
 * do not know.
 */
export function ChooseFile({
  isFirst,
  feeds,
  onFile,
}: {
  isFirst: boolean
  /** Where a feed is made of an address. */
  feeds: string | null
  onFile(file: File): void
}) {
  const [isOver, setOver] = useState(false)
  return (
    <>
      <label
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          const [file] = event.dataTransfer?.files ?? []
          if (file) onFile(file)
        }}
      >
        <input
          type="file"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? []
            // The same file can be chosen again once it has been mended.
            currentTarget.value = ''
            if (file) onFile(file)
          }}
        />
        <span class="button primary">{isFirst ? t.choose : t.chooseOther}</span>
        <span>{t.drop}</span>
        <span class="muted">{t.kinds}</span>
      </label>
      {isFirst && (
        <p class="muted">
          {t.fromShops}
          {feeds && (
            <>
              {' '}
              <a href={feeds}>{t.fromAddress}</a>
            </>
          )}
        </p>
      )}
    </>
  )
}
