import { useState } from 'preact/hooks'
import type { SearchCheckInput, SearchResponse } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { readShown } from '../../parts/product-tile.tsx'
import type { Part, Question } from './question.ts'
import { t } from './texts/texts.ts'

/** So many hits can be ticked; another product is typed. */
const OFFERED = 8
/** A kept picture has at most this many pixels on a side, which is what the service looks at. */
const SIDE_MAX = 768
const QUALITY = 0.9

/** Cuts the part out and makes it small: a check keeps at most 1 MiB. @returns base64 */
async function toKept(blob: Blob, part: Part | null): Promise<string> {
  const bitmap = await createImageBitmap(blob)
  const { x, y, width, height } = part ?? { x: 0, y: 0, width: 1, height: 1 }
  const [w, h] = [bitmap.width * width, bitmap.height * height]
  const scale = Math.min(1, SIDE_MAX / Math.max(w, h))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(w * scale))
  canvas.height = Math.max(1, Math.round(h * scale))
  canvas
    .getContext('2d')
    ?.drawImage(bitmap, bitmap.width * x, bitmap.height * y, w, h, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return canvas.toDataURL('image/jpeg', QUALITY)
}

/** What a check can hold: words alone, or one photo alone. */
const canKeep = ({ words, pictures }: Question): boolean =>
  words.trim() === '' ? pictures.length === 1 && pictures[0]?.source.kind === 'file' : pictures.length === 0

async function describeQuery({
  words,
  pictures,
}: Question): Promise<Pick<SearchCheckInput, 'query' | 'image'>> {
  const [picture] = pictures
  if (picture?.source.kind !== 'file') return { query: words.trim() }
  return { image: await toKept(picture.source.blob, picture.part) }
}

/** Keeps the search of the page with what it must find. */
export function NewCheck({
  question,
  answer,
  onSaved,
}: {
  question: Question
  answer: SearchResponse
  onSaved(): void
}) {
  const [expected, setExpected] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const [name, setName] = useState('')
  const [within, setWithin] = useState('5')
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  if (!canKeep(question)) return <p class="muted">{t.cannotKeep}</p>
  const wanted = [...expected, ...typed.split(/[\s,]+/).filter(Boolean)]
  const toggle = (id: string) =>
    setExpected(expected.includes(id) ? expected.filter((one) => one !== id) : [...expected, id])

  async function save(event: Event) {
    event.preventDefault()
    if (state === 'busy' || wanted.length === 0) return
    setState('busy')
    try {
      const query = await describeQuery(question)
      const called = name.trim() || query.query || t.photoOf(wanted.join(', '))
      await call('POST /v1/search/checks', {
        body: { name: called, ...query, expect: [...new Set(wanted)], within: Number(within) },
      })
      setExpected([])
      setTyped('')
      setName('')
      setState('idle')
      onSaved()
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <form class="new-check" onSubmit={save}>
      <h2>{t.newCheck}</h2>
      <ul class="expected" aria-label={t.mustFind}>
        {answer.results.slice(0, OFFERED).map(({ product_id, thumbnail_url, metadata }) => {
          const { name, category } = readShown(product_id, metadata)
          return (
            <li key={product_id}>
              <button
                type="button"
                aria-pressed={expected.includes(product_id)}
                aria-label={name}
                title={name}
                onClick={() => toggle(product_id)}
              >
                <Picture src={thumbnail_url} name={name} kind={category} />
              </button>
            </li>
          )
        })}
      </ul>
      <div class="row">
        <Field label={t.orIds} value={typed} onValue={setTyped} maxLength={2000} />
        <Field label={t.within} type="number" min="1" max="100" required value={within} onValue={setWithin} />
        <Field label={t.checkName} value={name} onValue={setName} maxLength={100} />
      </div>
      {state instanceof Error && <Failure error={state} />}
      <p>
        <button type="submit" disabled={state === 'busy' || wanted.length === 0}>
          {t.saveCheck}
        </button>
      </p>
    </form>
  )
}
