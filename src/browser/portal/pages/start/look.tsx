import { useEffect, useState } from 'preact/hooks'
import type { Samples, SearchResponse } from '#generated/api.ts'
import { search } from '../../api/search.ts'
import { send } from '../../api/transport.ts'
import { Failure } from '../../parts/panel.tsx'
import { takePicture } from '../../parts/picture-input.ts'
import { ProductTile } from '../../parts/product-tile.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { handOver } from '../../shell/handed-query.ts'
import { addressOf, go } from '../../shell/routes.ts'
import type { StepProps } from './start-page.tsx'
import { t } from './texts/texts.ts'

const SHOWN = 8

interface Photo {
  picture: Blob
  /** What the sample shows; null for a photo of the person's own. */
  sample: string | null
}

/** Loads the first sample picture. @throws CallError */
async function loadSample(signal: AbortSignal): Promise<Photo | null> {
  const [first] = (await send('GET', '/samples', { signal })) as Samples
  if (!first) return null
  const response = await fetch(new URL(first.url, location.origin).pathname, { signal })
  return { picture: await response.blob(), sample: first.name }
}

/** The third step: a search that has already been made, then one with a photo of one's own. */
export function Look({ store, overview, onStep }: StepProps) {
  const [own, setOwn] = useState<Photo | null>(null)
  const [sample] = useLoad(loadSample, [])
  const photo = own ?? (sample.state === 'there' ? sample.value : null)
  // The first search of a store counts: the checklist and the list of the latest searches wait for one.
  const isFirst = overview.checklist.some(({ key, is_done }) => key === 'first_search' && !is_done)
  const [answer, retry] = useLoad<SearchResponse | null>(
    async (signal) =>
      photo &&
      search(
        { words: '', picture: photo.picture },
        { limit: SHOWN, cutoff: 'auto', analytics: isFirst && photo.sample !== null },
        signal,
      ),
    [photo],
  )
  usePictures((picture) => setOwn({ picture, sample: null }))

  function openPlayground() {
    if (photo) handOver({ words: '', picture: photo.picture })
    go(addressOf(store, 'playground'))
  }

  return (
    <>
      <h1>{t.look}</h1>
      <div class="looking">
        <figure>
          {photo && <PhotoView {...photo} />}
          <figcaption>{own ? t.ownPhoto : t.samplePhoto}</figcaption>
        </figure>
        <section aria-label={t.alike} aria-busy={answer.state === 'loading'}>
          {answer.state === 'failed' ? (
            <Failure error={answer.error} onRetry={retry} />
          ) : (
            answer.state === 'there' && answer.value && <Alike answer={answer.value} store={store} />
          )}
        </section>
      </div>
      <div class="yours">
        <h2>{t.yours}</h2>
        <p>{t.yoursHint}</p>
        <p class="actions">
          <label class="button">
            {t.pick}
            <input
              type="file"
              accept="image/*"
              onChange={({ currentTarget: { files } }) => {
                if (files?.[0]) setOwn({ picture: files[0], sample: null })
              }}
            />
          </label>
          <button type="button" class="link" onClick={openPlayground}>
            {t.openPlayground}
          </button>
        </p>
      </div>
      <p>
        <button type="button" class="primary" onClick={() => onStep(4)}>
          {t.goShop}
        </button>
      </p>
    </>
  )
}

/** Takes pictures that are pasted or dropped anywhere but in the header, which has a search of its own. */
function usePictures(onPicture: (picture: Blob) => void) {
  useEffect(() => {
    const take = (event: Event, data: DataTransfer | null) => {
      const picture = takePicture(data)
      if (!picture || (event.target as Element).closest('header')) return
      event.preventDefault()
      onPicture(picture)
    }
    const paste = (event: ClipboardEvent) => take(event, event.clipboardData)
    const drop = (event: DragEvent) => take(event, event.dataTransfer)
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
  }, [])
}

function PhotoView({ picture, sample }: Photo) {
  const [src, setSrc] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(picture)
    setSrc(made)
    return () => URL.revokeObjectURL(made)
  }, [picture])
  return src === null ? null : <img src={src} alt={sample ?? t.ownPhoto} />
}

function Alike({ answer, store }: { answer: SearchResponse; store: string }) {
  if (answer.results.length === 0) return <p>{t.noneAlike}</p>
  return (
    <>
      <p>{t.alikeHint}</p>
      <ul class="grid small">
        {answer.results.map(({ product_id, thumbnail_url, metadata }) => (
          <li key={product_id}>
            <ProductTile
              {...{ id: product_id, src: thumbnail_url ?? null, metadata }}
              href={`${addressOf(store, 'products')}?product=${encodeURIComponent(product_id)}`}
            />
          </li>
        ))}
      </ul>
    </>
  )
}
