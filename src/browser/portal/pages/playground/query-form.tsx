import { useEffect, useState } from 'preact/hooks'
import type { Samples, SearchResponse } from '#generated/api.ts'
import { send } from '../../api/transport.ts'
import { formatNumber, formatScore } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { takePicture } from '../../parts/picture-input.ts'
import { useLoad } from '../../parts/use-load.ts'
import type { Question, View } from './playground-page.tsx'
import { t } from './texts/texts.ts'

/** What the API takes. */
const PICTURE_BYTES_MAX = 10 * 1024 * 1024

export interface QueryFormProps {
  question: Question
  onChange(changes: Partial<Question>): void
  view: View
  onView(view: View): void
  threshold: number
  onThreshold(threshold: number): void
  answer: SearchResponse | null
}

/** The left side: the photo, the words, and where to cut. */
export function QueryForm(props: QueryFormProps) {
  const { question, onChange, view, onView, threshold, onThreshold, answer } = props
  const [problem, setProblem] = useState<string | null>(null)

  function take(picture: Blob | null): boolean {
    if (!picture) return false
    const isTooLarge = picture.size > PICTURE_BYTES_MAX
    setProblem(isTooLarge ? t.tooLarge : null)
    if (!isTooLarge) onChange({ picture })
    return true
  }

  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (!(event.target as Element).closest('header') && take(takePicture(event.clipboardData)))
        event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if ((event.target as Element).closest('header')) return
      event.preventDefault()
      take(takePicture(event.dataTransfer))
    }
    // Without this, browsers take no drop.
    const allow = (event: DragEvent) => event.preventDefault()
    document.addEventListener('paste', paste)
    document.addEventListener('drop', drop)
    document.addEventListener('dragover', allow)
    return () => {
      document.removeEventListener('paste', paste)
      document.removeEventListener('drop', drop)
      document.removeEventListener('dragover', allow)
    }
  })

  const reach = answer?.results.filter(({ similarity_score }) => similarity_score >= threshold).length ?? 0
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <Drop picture={question.picture} onPicture={take} onRemove={() => onChange({ picture: null })} />
      {problem && (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
      {question.product !== null && (
        <p>
          {t.product} <code>{question.product}</code>
        </p>
      )}
      <Field
        label={t.words}
        hint={t.wordsHint}
        type="search"
        maxLength={500}
        value={question.words}
        onValue={(words) => onChange({ words })}
      />
      {!question.picture && <SamplePictures onPicture={take} />}
      <Choice
        label={t.view}
        value={view}
        onValue={(next) => onView(next as View)}
        choices={[
          ['shoppers', t.shoppers],
          ['everything', t.everything],
        ]}
      />
      <div class="field">
        <label for="threshold">
          {t.threshold} <output for="threshold">{formatScore(threshold)}</output>
        </label>
        <input
          id="threshold"
          type="range"
          min="0"
          max="1"
          step="0.01"
          value={threshold}
          onInput={({ currentTarget }) => onThreshold(currentTarget.valueAsNumber)}
        />
        {answer && (
          <p class="hint" aria-live="polite">
            {t.count(formatNumber(reach), formatNumber(answer.results.length))}
          </p>
        )}
      </div>
    </form>
  )
}

/** Where a photo comes in; afterwards it stands there. */
function Drop({
  picture,
  onPicture,
  onRemove,
}: {
  picture: Blob | null
  onPicture(picture: Blob | null): void
  onRemove(): void
}) {
  const [src, setSrc] = useState<string | null>(null)
  useEffect(() => {
    if (!picture) return setSrc(null)
    const address = URL.createObjectURL(picture)
    setSrc(address)
    return () => URL.revokeObjectURL(address)
  }, [picture])
  return (
    <div class="drop">
      {src !== null && <img src={src} alt="" />}
      {src === null && <p>{t.drop}</p>}
      <p class="actions">
        <label class="button">
          {t.pick}
          <input
            type="file"
            accept="image/*"
            onChange={({ currentTarget }) => onPicture(currentTarget.files?.[0] ?? null)}
          />
        </label>
        {src !== null && (
          <button type="button" class="link" onClick={onRemove}>
            {t.remove}
          </button>
        )}
      </p>
    </div>
  )
}

/** Photos that come with the program, so that a first search needs no photo of one's own. */
function SamplePictures({ onPicture }: { onPicture(picture: Blob): void }) {
  const [samples] = useLoad(async () => (await send('GET', '/samples')) as Samples, [])
  if (samples.state !== 'there' || samples.value.length === 0) return null
  return (
    <div class="field">
      <p class="label">{t.samples}</p>
      <ul class="samples">
        {samples.value.map(({ name, url }) => (
          <li key={url}>
            <button
              type="button"
              title={name}
              onClick={async () =>
                onPicture(await (await fetch(new URL(url, location.origin).pathname)).blob())
              }
            >
              <img src={new URL(url, location.origin).pathname} alt={name} loading="lazy" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
