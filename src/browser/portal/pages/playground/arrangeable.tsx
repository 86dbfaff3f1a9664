import { useEffect, useState } from 'preact/hooks'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { addressOf } from '../../shell/routes.ts'
import { hasFilters, type Question, type Settings } from './question.ts'
import { Results, type ResultsProps } from './results.tsx'
import { t } from './texts/texts.ts'

interface ArrangeableProps extends ResultsProps {
  /** What the answer belongs to. */
  sent: { question: Question; settings: Settings }
  can(right: string): boolean
  onSaved(): void
}

/** A rule goes by words: results of pictures, colours and filters cannot be put in order for all. */
const isByWords = ({ question, settings }: ArrangeableProps['sent']): boolean =>
  question.words.trim() !== '' &&
  question.pictures.length === 0 &&
  settings.colors.length === 0 &&
  !hasFilters(settings)

/** The results; who may decide about rules can put those of words in another order. */
export function Arrangeable({ sent, can, onSaved, ...found }: ArrangeableProps) {
  const [state, setState] = useState<'shown' | 'arranged' | 'saved'>('shown')
  const words = sent.question.words.trim()
  // Another search ends the arranging: its places mean nothing there.
  useEffect(() => setState('shown'), [words, sent.settings])
  const isArranged = state === 'arranged'
  const [part, retry] = useLoad(
    async () => (isArranged ? { Part: (await import('./arrange.tsx')).Arrange } : null),
    [isArranged],
  )
  const mayArrange =
    can('search:write') && isByWords(sent) && found.answer !== null && found.answer.results.length > 0
  if (isArranged && part.state === 'there' && part.value && found.answer)
    return (
      <part.value.Part
        key={words}
        {...{ words, answer: found.answer, settings: found.settings }}
        onCancel={() => setState('shown')}
        onSaved={() => {
          setState('saved')
          onSaved()
        }}
      />
    )
  return (
    <>
      {part.state === 'failed' && <Failure error={part.error} onRetry={retry} />}
      {mayArrange && (
        <p class="actions arranging">
          <button type="button" disabled={found.isBusy} onClick={() => setState('arranged')}>
            {t.arrange}
          </button>
          {state === 'saved' && (
            <span role="status">
              {t.ruleSaved} <a href={addressOf(found.store, 'merchandising')}>{t.allRules}</a>
            </span>
          )}
        </p>
      )}
      <Results {...found} />
    </>
  )
}
