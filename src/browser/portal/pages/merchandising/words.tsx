import { useState } from 'preact/hooks'
import type { StoreWords } from '#generated/api.ts'
import { call, readVersion, type Versioned } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { SaveLine } from '../../parts/save-line.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { useSending } from '../../parts/use-sending.ts'
import type { PartProps } from './merchandising-page.tsx'
import { t } from './texts/texts.ts'
import { LISTS, type ListName, newRow, type Row, toRows, toWords, type WordsDraft } from './words-draft.ts'
import { writeCurl } from './write-curl.ts'

/** So many lines of a list are drawn; a store may have thousands. */
const DRAWN = 50
/** A longer call fits no terminal. */
const CURL_CHARS_MAX = 4_000

/** Synonyms, redirects and ignored words, as lists that are saved together. */
export function Words({ mayWrite }: PartProps) {
  const loaded = useLoad((signal) => readVersion('GET /v1/store/words', { signal }), [])
  return <Show of={loaded}>{(latest) => <WordsForm latest={latest} mayWrite={mayWrite} />}</Show>
}

/** The lists as texts by their labels, to tell what somebody else has changed. */
const show = ({ synonyms, redirects, ignore }: StoreWords): Shown => ({
  [t.lists.synonyms.name]: synonyms
    .map(({ words, to }) => words.join(', ') + (to ? ` → ${to.join(', ')}` : ''))
    .join('\n'),
  [t.lists.redirects.name]: redirects.map(({ words, url }) => `${words} → ${url}`).join('\n'),
  [t.lists.ignore.name]: ignore.join(', '),
})

function WordsForm({ latest, mayWrite }: { latest: Versioned<StoreWords>; mayWrite: boolean }) {
  const [{ value: saved, version }, setSaved] = useState(latest)
  const [draft, setDraft] = useState<WordsDraft>(() => toRows(latest.value))
  const [isDone, setDone] = useState(false)
  const { isBusy, error, run } = useSending()
  const body = toWords(draft)
  const isChanged = JSON.stringify(body) !== JSON.stringify(saved)
  const sent = JSON.stringify(body)

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    await call('PUT /v1/store/words', { body, ifMatch })
    const after = await readVersion('GET /v1/store/words')
    setSaved(after)
    setDraft(toRows(after.value))
    setDone(true)
  }

  return (
    <form
      class="words-form"
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(version))
      }}
    >
      {LISTS.map((name) => (
        <WordList
          key={name}
          {...{ name, mayWrite, rows: draft[name] }}
          onRows={(rows) => {
            setDone(false)
            setDraft((before) => ({ ...before, [name]: rows }))
          }}
        />
      ))}
      <NotSaved
        {...{ error, isBusy }}
        before={show(saved)}
        load={async (signal) => show(await call('GET /v1/store/words', { signal }))}
        onSave={(present) => run(() => save(present))}
      />
      {mayWrite && (
        <>
          {sent.length <= CURL_CHARS_MAX && (
            <details class="same-call">
              <summary>{t.sameCall}</summary>
              <Copied text={writeCurl('PUT', '/v1/store/words', body)} />
            </details>
          )}
          <SaveLine
            label={t.saveWords}
            canSave={!isBusy && isChanged}
            done={isDone && !isChanged && t.saved}
          />
        </>
      )}
    </form>
  )
}

interface ListProps {
  name: ListName
  rows: readonly Row[]
  mayWrite: boolean
  onRows(rows: readonly Row[]): void
}

/** One list; a long one is searched. New lines stand first, where one sees them. */
function WordList({ name, rows, mayWrite, onRows }: ListProps) {
  const texts = t.lists[name]
  const [wanted, setWanted] = useState('')
  const [drawn, setDrawn] = useState(DRAWN)
  const needle = wanted.trim().toLowerCase()
  const fits = needle
    ? rows.filter(({ left, right }) => `${left} ${right}`.toLowerCase().includes(needle))
    : rows
  const change = (key: number, changes: Partial<Row>) =>
    onRows(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)))
  return (
    <section class="word-list" aria-label={texts.name}>
      <h2>
        {texts.name} <span class="muted">{formatNumber(rows.length)}</span>
      </h2>
      <p class="muted section-lead">{texts.hint}</p>
      {rows.length > DRAWN && <Field label={t.findInList} type="search" value={wanted} onValue={setWanted} />}
      {mayWrite && (
        <p>
          <button
            type="button"
            onClick={() => {
              setWanted('')
              onRows([newRow(), ...rows])
            }}
          >
            {texts.add}
          </button>
        </p>
      )}
      <ul>
        {fits.slice(0, drawn).map(({ key, left, right }) => (
          <li key={key}>
            <Field
              label={texts.left}
              value={left}
              readOnly={!mayWrite}
              onValue={(value) => change(key, { left: value })}
            />
            {'right' in texts && (
              <Field
                label={texts.right}
                value={right}
                readOnly={!mayWrite}
                onValue={(value) => change(key, { right: value })}
              />
            )}
            {mayWrite && (
              <button
                type="button"
                class="link danger"
                aria-label={t.removeLine(left)}
                onClick={() => onRows(rows.filter((row) => row.key !== key))}
              >
                {t.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      {fits.length > drawn && (
        <button type="button" class="plain" onClick={() => setDrawn(drawn + DRAWN)}>
          {t.moreLines}
        </button>
      )}
    </section>
  )
}
