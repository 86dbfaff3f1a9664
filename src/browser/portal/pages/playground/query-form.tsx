import type { SearchResponse } from '#generated/api.ts'
import { formatNumber, formatScore } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { Slider } from '../../parts/slider.tsx'
import { Switch } from '../../parts/switch.tsx'
import { Narrowing } from './narrowing.tsx'
import type { StoreFacts } from './plan.ts'
import { QueryPictures } from './query-pictures.tsx'
import { AGGREGATIONS, hasFilters, JOINS, type Question, type Settings } from './question.ts'
import { t } from './texts/texts.ts'

export interface QueryFormProps {
  question: Question
  onQuestion(changes: Partial<Question>): void
  settings: Settings
  onSettings(changes: Partial<Settings>): void
  facts: StoreFacts
  answer: SearchResponse | null
  isCompared: boolean
  onCompare(beside: Settings | null): void
}

/** The left side: the pictures, the words, what narrows the search, and where to cut. */
export function QueryForm(props: QueryFormProps) {
  const { question, onQuestion, settings, onSettings, answer } = props
  const hasWords = question.words.trim() !== ''
  const isSeveral = question.pictures.length > 1
  const reach =
    answer?.results.filter(({ similarity_score }) => similarity_score >= settings.threshold).length ?? 0
  return (
    <div class="query">
      <QueryPictures
        pictures={question.pictures}
        onPictures={(pictures) => onQuestion({ pictures })}
        regions={answer?.regions ?? []}
        hasWords={hasWords}
      />
      <Field
        label={t.words}
        hint={isSeveral ? t.wordsOrPictures : t.wordsHint}
        type="search"
        maxLength={500}
        disabled={isSeveral}
        value={question.words}
        onValue={(words) => onQuestion({ words })}
      />
      {isSeveral && (
        <Choice
          label={t.aggregation}
          value={settings.aggregation}
          onValue={(value) => onSettings({ aggregation: value as Settings['aggregation'] })}
          choices={AGGREGATIONS.map((one) => [one, t.aggregations[one]])}
        />
      )}
      {hasWords && question.pictures.length === 1 && <Mixing settings={settings} onSettings={onSettings} />}
      <Choice
        label={t.view}
        value={settings.view}
        onValue={(view) => onSettings({ view: view as Settings['view'] })}
        choices={[
          ['shoppers', t.shoppers],
          ['everything', t.everything],
        ]}
      />
      <Slider
        label={t.threshold}
        value={settings.threshold}
        onValue={(threshold) => onSettings({ threshold })}
        shown={formatScore(settings.threshold)}
        hint={answer ? t.count(formatNumber(reach), formatNumber(answer.results.length)) : undefined}
      />
      <More {...props} />
    </div>
  )
}

/** How much the picture counts beside the words, and how the two are joined. */
function Mixing({ settings, onSettings }: Pick<QueryFormProps, 'settings' | 'onSettings'>) {
  return (
    <>
      <Slider
        label={t.weight}
        value={settings.weight}
        onValue={(weight) => onSettings({ weight })}
        shown={t.shares(Math.round(settings.weight * 100), Math.round((1 - settings.weight) * 100))}
        step={0.05}
      />
      {settings.colors.length === 0 && (
        <Choice
          label={t.join}
          value={settings.join}
          onValue={(join) => onSettings({ join: join as Settings['join'] })}
          choices={JOINS.map((one) => [one, t.joins[one]])}
        />
      )}
    </>
  )
}

/** What most searches do without. */
function More({ settings, onSettings, facts, isCompared, onCompare }: QueryFormProps) {
  return (
    <>
      <details class="more" open={hasFilters(settings) || settings.colors.length > 0}>
        <summary>{t.narrow}</summary>
        <Narrowing settings={settings} onSettings={onSettings} fields={facts.fields} />
      </details>
      <details class="more">
        <summary>{t.settings}</summary>
        <Switch
          label={t.cuts}
          hint={settings.view === 'shoppers' ? t.cutsAlways : t.cutsHint}
          isOn={settings.view === 'shoppers' || settings.cuts}
          isFixed={settings.view === 'shoppers'}
          onChange={(cuts) => onSettings({ cuts })}
        />
        <Switch
          label={t.secondLook}
          hint={t.secondLookHint}
          isOn={settings.secondLook}
          onChange={(secondLook) => onSettings({ secondLook })}
        />
        <Switch
          label={t.interprets}
          hint={t.interpretsHint}
          isOn={settings.interprets}
          onChange={(interprets) => onSettings({ interprets })}
        />
        <p class="actions">
          {isCompared ? (
            <button type="button" onClick={() => onCompare(null)}>
              {t.compareEnd}
            </button>
          ) : (
            <>
              <button type="button" onClick={() => onCompare(settings)}>
                {t.compare}
              </button>
              <button
                type="button"
                class="link"
                onClick={() =>
                  onCompare({
                    ...settings,
                    view: settings.view === 'shoppers' ? 'everything' : 'shoppers',
                    cuts: false,
                  })
                }
              >
                {settings.view === 'shoppers' ? t.besideEverything : t.besideShoppers}
              </button>
            </>
          )}
        </p>
      </details>
    </>
  )
}
