import { useEffect, useState } from 'preact/hooks'
import type { Region, Samples } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { send } from '../../api/transport.ts'
import { Field } from '../../parts/field.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { PartBox } from './part-box.tsx'
import { PICTURES_MAX, type QueryPicture, type Source } from './question.ts'
import { t } from './texts/texts.ts'

/** What the API takes. */
const PICTURE_BYTES_MAX = 10 * 1024 * 1024

export interface QueryPicturesProps {
  pictures: readonly QueryPicture[]
  onPictures(pictures: QueryPicture[]): void
  /** Parts of the first picture that the service found worth a search of their own. */
  regions: readonly Region[]
  hasWords: boolean
}

const asPicture = (source: Source): QueryPicture => ({ source, part: null })

/** Reads what somebody typed: the address of a picture, or the id of a product. */
const readSource = (text: string): Source =>
  /^https?:\/\//i.test(text) ? { kind: 'address', url: text } : { kind: 'product', id: text }

/** Where pictures come in; afterwards they stand there, and a part of one can be chosen. */
export function QueryPictures({ pictures, onPictures, regions, hasWords }: QueryPicturesProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isAdding, setAdding] = useState(false)

  /** Takes photos: the first one takes the place of what is there, unless somebody adds. */
  function take(files: Iterable<File>, adds = isAdding): boolean {
    const photos = [...files].filter(({ type }) => type.startsWith('image/'))
    const fitting = photos.filter(({ size }) => size <= PICTURE_BYTES_MAX)
    if (photos.length === 0) return false
    setProblem(fitting.length < photos.length ? t.tooLarge : null)
    if (fitting.length === 0) return true
    const added = fitting.map((blob) => asPicture({ kind: 'file', blob }))
    onPictures([...(adds || photos.length > 1 ? pictures : []), ...added].slice(0, PICTURES_MAX))
    setAdding(false)
    return true
  }

  useEffect(() => {
    const isOurs = (event: Event) => !(event.target as Element).closest('header')
    const paste = (event: ClipboardEvent) => {
      if (isOurs(event) && take(event.clipboardData?.files ?? [])) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!isOurs(event)) return
      event.preventDefault()
      take(event.dataTransfer?.files ?? [])
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

  const [first] = pictures
  const isAsking = pictures.length === 0 || isAdding
  return (
    <>
      <div class="photo-drop">
        {pictures.length === 1 && first && (
          <OnePicture picture={first} regions={regions} onPart={(part) => onPictures([{ ...first, part }])} />
        )}
        {pictures.length > 1 && (
          <ul class="references">
            {pictures.map(({ source }, n) => (
              <li key={n}>
                <SourcePicture source={source} />
                <button
                  type="button"
                  aria-label={t.removeOne(n + 1)}
                  onClick={() => onPictures(pictures.filter((_, other) => other !== n))}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
        )}
        {pictures.length === 0 && <p class="invitation">{t.drop}</p>}
        <p class="actions">
          {isAsking ? (
            <>
              <PickFile label={t.pick} onFiles={take} multiple />
              <PickFile label={t.camera} onFiles={take} capture="environment" />
            </>
          ) : (
            <>
              <PickFile label={t.another} onFiles={(files) => take(files, false)} />
              {pictures.length < PICTURES_MAX && !hasWords && (
                <button type="button" class="link" onClick={() => setAdding(true)}>
                  {t.add}
                </button>
              )}
            </>
          )}
          {pictures.length > 0 && (
            <button
              type="button"
              class="link"
              onClick={() => {
                setAdding(false)
                onPictures([])
              }}
            >
              {pictures.length > 1 ? t.removeAll : t.remove}
            </button>
          )}
        </p>
      </div>
      {problem && (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
      {isAsking && (
        <TypedSource
          onSource={(source) => {
            onPictures([...pictures, asPicture(source)])
            setAdding(false)
          }}
        />
      )}
      {isAsking && <SamplePictures onPicture={(picture) => take([picture])} />}
    </>
  )
}

function PickFile({
  label,
  onFiles,
  ...input
}: {
  label: string
  onFiles(files: FileList): void
  multiple?: boolean
  capture?: 'environment'
}) {
  return (
    <label class={input.capture ? 'button camera' : 'button'}>
      {label}
      <input
        {...input}
        type="file"
        accept="image/*"
        onChange={({ currentTarget }) => {
          if (currentTarget.files) onFiles(currentTarget.files)
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

/** The address of a photo in memory, as long as it is shown. */
function usePhotoAddress(source: Source | undefined): string | null {
  const blob = source?.kind === 'file' ? source.blob : null
  const [src, setSrc] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return setSrc(null)
    const address = URL.createObjectURL(blob)
    setSrc(address)
    return () => URL.revokeObjectURL(address)
  }, [blob])
  return src
}

/** The address of what the browser can show of a picture: a photo itself, and of a product its small picture. */
function usePictureAddress(source: Source): string | null {
  const photo = usePhotoAddress(source)
  const id = source.kind === 'product' ? source.id : null
  const [product] = useLoad(
    async (signal) =>
      id === null ? null : await call('GET /v1/products/{product_id}', { path: { product_id: id }, signal }),
    [id],
  )
  return photo ?? (product.state === 'there' ? (product.value?.thumbnail_url ?? null) : null)
}

const nameOf = (source: Exclude<Source, { kind: 'file' }>): string =>
  source.kind === 'address' ? source.url : source.id

/** Pages load no picture from elsewhere: an address is named. */
function SourcePicture({ source }: { source: Source }) {
  const src = usePictureAddress(source)
  if (src !== null) return <img src={src} alt={source.kind === 'product' ? source.id : ''} />
  return source.kind === 'file' ? null : <code class="named">{nameOf(source)}</code>
}

function OnePicture({
  picture: { source, part },
  regions,
  onPart,
}: {
  picture: QueryPicture
  regions: readonly Region[]
  onPart(part: QueryPicture['part']): void
}) {
  const src = usePictureAddress(source)
  return (
    <>
      {source.kind !== 'file' && (
        <p class="source">
          {source.kind === 'product' ? t.product : t.address} <code class="named">{nameOf(source)}</code>
        </p>
      )}
      {src !== null && <PartBox src={src} part={part} onPart={onPart} />}
      <p class="parts">
        {regions.length > 1 &&
          regions.map(({ box, category }, n) => (
            <button key={n} type="button" class="chip" onClick={() => onPart(box)}>
              {category ?? t.region(n + 1)}
            </button>
          ))}
        {part ? (
          <button type="button" class="link" onClick={() => onPart(null)}>
            {t.whole}
          </button>
        ) : (
          <span class="muted">{source.kind === 'address' ? t.partUnseen : t.partHint}</span>
        )}
      </p>
    </>
  )
}

function TypedSource({ onSource }: { onSource(source: Source): void }) {
  const [typed, setTyped] = useState('')
  return (
    <form
      class="typed"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        if (typed.trim() === '') return
        onSource(readSource(typed.trim()))
        setTyped('')
      }}
    >
      <Field label={t.typed} value={typed} onValue={setTyped} maxLength={2048} />
      <button type="submit">{t.take}</button>
    </form>
  )
}

/** Photos that come with the program, so that a first search needs no photo of one's own. */
function SamplePictures({ onPicture }: { onPicture(picture: File): void }) {
  const [samples] = useLoad(async () => (await send('GET', '/samples')) as Samples, [])
  if (samples.state !== 'there' || samples.value.length === 0) return null
  const pathOf = (url: string) => new URL(url, location.origin).pathname
  return (
    <div class="field">
      <p class="label">{t.samples}</p>
      <ul class="samples">
        {samples.value.map(({ name, url }) => (
          <li key={url}>
            <button
              type="button"
              title={name}
              onClick={async () => {
                const photo = await (await fetch(pathOf(url))).blob()
                onPicture(new File([photo], name, { type: photo.type }))
              }}
            >
              <img src={pathOf(url)} alt={name} loading="lazy" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
