import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { Check } from '../../parts/check.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'

interface SynonymProps {
  query: string
  /** Words of the products that may mean the same. */
  suggested: readonly string[]
}

/** Lets words that found nothing find what other words find. */
export function MakeSynonym({ query, suggested }: SynonymProps) {
  const [state, setState] = useState<'idle' | 'asked' | 'made'>('idle')
  if (state === 'made')
    return (
      <span role="status" class="muted">
        {t.synonymMade}
      </span>
    )
  return (
    <>
      <button type="button" class="link" onClick={() => setState('asked')}>
        {t.makeSynonym}
        <span class="unseen">{query}</span>
      </button>
      {state === 'asked' && (
        <SynonymDialog
          {...{ query, suggested }}
          onMade={() => setState('made')}
          onClose={() => setState('idle')}
        />
      )}
    </>
  )
}

function SynonymDialog({
  query,
  suggested,
  onMade,
  onClose,
}: SynonymProps & { onMade(): void; onClose(): void }) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const { isBusy, error, run } = useSending()
  const others = typed
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const to = [...new Set([...chosen, ...others])]
  return (
    <Dialog class="asked" label={t.makeSynonymOf(query)} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(async () => {
            await call('POST /v1/store/words/synonyms', { body: { words: [query], to } })
            onMade()
          })
        }}
      >
        <h2 dir="auto">{t.makeSynonymOf(query)}</h2>
        <p>{t.synonymHint}</p>
        {suggested.map((word) => (
          <Check
            key={word}
            checked={chosen.includes(word)}
            onChange={(isChosen) =>
              setChosen(isChosen ? [...chosen, word] : chosen.filter((one) => one !== word))
            }
          >
            {word}
          </Check>
        ))}
        <Field
          label={suggested.length > 0 ? t.otherWords : t.wordsOfShop}
          hint={t.otherWordsHint}
          value={typed}
          onValue={setTyped}
          maxLength={500}
        />
        {error && <Failure error={error} />}
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy || to.length === 0}>
            {t.makeSynonym}
          </button>
          <button type="button" disabled={isBusy} onClick={onClose}>
            {shell.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
