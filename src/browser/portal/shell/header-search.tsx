import { useEffect, useRef, useState } from 'preact/hooks'
import type { SearchResponse } from '#generated/api.ts'
import { type CallError, toCallError } from '../api/errors.ts'
import { type Query, search } from '../api/search.ts'
import { Failure } from '../parts/panel.tsx'
import { Picture } from '../parts/picture.tsx'
import { takePicture } from '../parts/picture-input.ts'
import { t } from '../texts/texts.ts'
import { handOver } from './handed-query.ts'
import { addressOf, go } from './routes.ts'

/** Typing pauses this long before a search is sent. */
const PAUSE_MS = 250
const SHOWN = 8

/** The field of every page: words, or a picture that is pasted, dropped or picked. What is found drops down as thumbnails. */
export function HeaderSearch({ store }: { store: string }) {
  const [query, setQuery] = useState<Query>({ words: '', picture: null })
  const [found, setFound] = useState<SearchResponse | CallError | null>(null)
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLFormElement>(null)
  const { words, picture } = query
  const isEmpty = words.trim() === '' && !picture

  useEffect(() => {
    setFound(null)
    if (isEmpty) return
    const stop = new AbortController()
    const timer = setTimeout(
      () => {
        search({ words: words.trim(), picture }, { limit: SHOWN, cutoff: 'auto' }, stop.signal).then(
          (answer) => !stop.signal.aborted && setFound(answer),
          (thrown) => !stop.signal.aborted && setFound(toCallError(thrown)),
        )
      },
      picture ? 0 : PAUSE_MS,
    )
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [words, picture, isEmpty])

  useEffect(() => {
    const closeOutside = ({ target }: Event) => {
      if (!box.current?.contains(target as Node)) setOpen(false)
    }
    const focusBySlash = (event: KeyboardEvent) => {
      if (event.key !== '/' || (event.target as Element).closest('input, textarea, select, dialog')) return
      event.preventDefault()
      box.current?.querySelector('input')?.focus()
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('keydown', focusBySlash)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('keydown', focusBySlash)
    }
  }, [])

  function take(picture: File | null): boolean {
    if (!picture) return false
    setQuery({ words, picture })
    setOpen(true)
    return true
  }

  function openPlayground(event: Event) {
    event.preventDefault()
    if (isEmpty) return
    handOver(query)
    setOpen(false)
    go(`${addressOf(store, 'playground')}${words ? `?q=${encodeURIComponent(words)}` : ''}`)
  }

  return (
    <search class="header-search">
      <form
        ref={box}
        onSubmit={openPlayground}
        onKeyDown={({ key }) => key === 'Escape' && setOpen(false)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          take(takePicture(event.dataTransfer))
        }}
      >
        <input
          type="search"
          aria-label={t.search}
          placeholder={t.searchHint}
          maxLength={500}
          value={words}
          onInput={({ currentTarget }) => {
            setQuery({ words: currentTarget.value, picture })
            setOpen(true)
          }}
          onFocus={() => setOpen(true)}
          onPaste={(event) => take(takePicture(event.clipboardData)) && event.preventDefault()}
        />
        <label class="pick" title={t.pickPicture}>
          <input
            type="file"
            accept="image/*"
            aria-label={t.pickPicture}
            onChange={({ currentTarget }) => {
              take(currentTarget.files?.[0] ?? null)
              currentTarget.value = ''
            }}
          />
          <svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
            <path
              d="M4 7h4l1.5-2h5L16 7h4v12H4z M12 16a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z"
              fill="none"
              stroke="currentColor"
              stroke-width="1.8"
            />
          </svg>
        </label>
        {isOpen && !isEmpty && (
          <section class="dropped" aria-label={t.results}>
            <Found found={found} store={store} />
            {found && (
              <button type="submit" class="link">
                {t.openInPlayground}
              </button>
            )}
          </section>
        )}
      </form>
    </search>
  )
}

function Found({ found, store }: { found: SearchResponse | CallError | null; store: string }) {
  if (!found) return <p class="muted">{t.loading}</p>
  if (found instanceof Error) return <Failure error={found} />
  if (found.results.length === 0) return <p class="muted">{t.nothingFound}</p>
  return (
    <ul class="thumbs">
      {found.results.map(({ product_id, thumbnail_url, metadata }) => {
        const name = String(metadata['name'] ?? product_id)
        return (
          <li key={product_id}>
            <a
              href={`${addressOf(store, 'products')}?product=${encodeURIComponent(product_id)}`}
              title={name}
            >
              <Picture src={thumbnail_url} name={name} kind={String(metadata['category'] ?? '')} />
              <span class="name" dir="auto">
                {name}
              </span>
            </a>
          </li>
        )
      })}
    </ul>
  )
}
