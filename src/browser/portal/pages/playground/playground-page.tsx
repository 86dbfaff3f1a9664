import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Product, SearchResponse } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Later } from '../../parts/later.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { type Loaded, useLoad } from '../../parts/use-load.ts'
import { takeHanded } from '../../shell/handed-query.ts'
import { address, type PageProps, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { Arrangeable } from './arrangeable.tsx'
import { Compared } from './compared.tsx'
import type { StoreFacts } from './plan.ts'
import { QueryForm } from './query-form.tsx'
import {
  isEmpty,
  type Question,
  readQuestion,
  readSettings,
  type Settings,
  writeQuestion,
  writeSettings,
} from './question.ts'
import { runSearch } from './run.ts'
import { Start } from './start.tsx'
import { t } from './texts/texts.ts'

const PAUSE_MS = 300

/** So many hits show what the page does before anybody asks. */
const EXAMPLES = 12

/** All that the page asks. */
interface Asked {
  question: Question
  settings: Settings
  /** Other settings to show beside these. */
  beside: Settings | null
}

const queryOf = (path: string): string => path.split('?')[1] ?? ''

function readAsked(text: string): Asked {
  const query = new URLSearchParams(text)
  const beside = query.get('beside')
  return {
    question: readQuestion(query),
    settings: readSettings(query),
    beside: beside === null ? null : readSettings(new URLSearchParams(beside)),
  }
}

function writeAsked({ question, settings, beside }: Asked): URLSearchParams {
  const query = writeSettings(settings, writeQuestion(question))
  if (beside) query.set('beside', String(writeSettings(beside)))
  return query
}

/** Takes the header's query, if it has handed one over. */
function withHanded(asked: Asked): Asked {
  const handed = takeHanded()
  if (!handed) return asked
  const { words, picture } = handed
  const pictures = picture ? [{ source: { kind: 'file', blob: picture } as const, part: null }] : []
  return { ...asked, question: { words, pictures } }
}

/** What the page asks, as the address says it; a photo stays here. */
function useAsked(): [Asked, (changes: Partial<Asked>) => void] {
  const query = queryOf(useSignal(address))
  const [asked, setAsked] = useState(() => withHanded(readAsked(query)))
  const written = useRef(query)
  useEffect(() => {
    if (written.current === query) return
    written.current = query
    setAsked(withHanded(readAsked(query)))
  }, [query])
  useEffect(() => {
    // The header's search may hand over a photo while this page is open: no address tells of it.
    const handed = withHanded(asked)
    if (handed !== asked) setAsked(handed)
  })
  return [
    asked,
    (changes) => {
      const next = { ...asked, ...changes }
      const query = writeAsked(next)
      written.current = String(query)
      setAsked(next)
      setQuery(query)
    },
  ]
}

/** A value that follows another one after a pause: at once, unless somebody types or slides. */
function useSettled<Value>(value: Value, waits: (before: Value, after: Value) => boolean): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    if (value === settled) return
    const timer = setTimeout(() => setSettled(value), waits(settled, value) ? PAUSE_MS : 0)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Whether words, a weight or a price changed, which change again with the next stroke. */
const isTyped = (before: Asked, after: Asked): boolean =>
  before.question.words !== after.question.words ||
  before.settings.weight !== after.settings.weight ||
  before.settings.priceMin !== after.settings.priceMin ||
  before.settings.priceMax !== after.settings.priceMax

const NO_FACTS: StoreFacts = { fields: [], privateFields: [], soldOut: null, currency: null }

async function loadFacts(knowsSettings: boolean, signal: AbortSignal): Promise<StoreFacts> {
  const [{ fields }, settings] = await Promise.all([
    call('GET /v1/store/fields', { signal }),
    knowsSettings ? call('GET /v1/store/settings', { signal }) : null,
  ])
  return {
    fields,
    privateFields: settings?.private_metadata ?? [],
    soldOut: settings && (settings.sold_out ?? 'last'),
    currency: settings?.currency ?? null,
  }
}

/** The slider of the threshold changes what is shown, not what is asked. */
const keyOf = (settings: Settings | null): string => JSON.stringify({ ...settings, threshold: 0 })

/** The last value that was there: results stay on the screen while the next ones are on their way. */
function useLast<Value>(loaded: Loaded<Value>): Value | null {
  const last = useRef<Value | null>(null)
  if (loaded.state === 'there') last.current = loaded.value
  return last.current
}

export function Page({ store, can }: PageProps) {
  const [asked, change] = useAsked()
  const { question, settings, beside } = asked
  const sent = useSettled(asked, isTyped)
  const [loadedFacts] = useLoad((signal) => loadFacts(can('security:manage'), signal), [])
  const facts = loadedFacts.state === 'there' ? loadedFacts.value : NO_FACTS
  const isWaiting = loadedFacts.state === 'loading' && (beside !== null || settings.view === 'shoppers')

  const [start] = useLoad<Product | null>(async (signal) => {
    if (!isEmpty(question, settings)) return null
    const { products } = await call('GET /v1/products', { query: { limit: 1 }, signal })
    return products[0] ?? null
  }, [])
  const example = start.state === 'there' ? start.value : null
  const isStart = isEmpty(sent.question, sent.settings)
  const shown = useMemo<Question>(
    () =>
      isStart && example
        ? { words: '', pictures: [{ source: { kind: 'product', id: example.product_id }, part: null }] }
        : sent.question,
    [isStart, example, sent.question],
  )

  const search = (chosen: Settings | null) => async (signal: AbortSignal) => {
    if (!chosen || isWaiting || !can('search:execute')) return null
    if (!isStart) return runSearch(shown, chosen, facts, signal)
    const example = await runSearch(shown, { ...chosen, view: 'everything' }, facts, signal)
    return example && { ...example, results: example.results.slice(0, EXAMPLES) }
  }
  const [answer, retry] = useLoad(search(sent.settings), [shown, keyOf(sent.settings), isWaiting])
  const [other] = useLoad(search(sent.beside), [shown, keyOf(sent.beside), isWaiting])
  const last = useLast<SearchResponse | null>(answer)
  const lastOther = useLast<SearchResponse | null>(other)

  if (!can('search:execute'))
    return (
      <>
        <h1>{t.heading}</h1>
        <p>{t.mayNot}</p>
      </>
    )
  const found = {
    answer: last,
    isBusy: answer.state === 'loading' && !isEmpty(shown, sent.settings),
    settings,
    store,
    facts,
    onWords: (words: string) => change({ question: { ...question, words } }),
    onLower: () => change({ settings: { ...settings, threshold: 0 } }),
    onLiteral: () => change({ settings: { ...settings, interprets: false } }),
  }
  return (
    <div class="playground">
      <h1 class="unseen">{t.heading}</h1>
      <Panel class="ask">
        <QueryForm
          question={question}
          onQuestion={(changes) => change({ question: { ...question, ...changes } })}
          settings={settings}
          onSettings={(changes) => change({ settings: { ...settings, ...changes } })}
          facts={facts}
          answer={isStart ? null : last}
          isCompared={beside !== null}
          onCompare={(beside) => change({ beside })}
        />
      </Panel>
      <Panel class="answer">
        {isStart && example && <Start product={example} />}
        {answer.state === 'failed' ? (
          <Failure error={answer.error} onRetry={retry} />
        ) : beside && lastOther ? (
          <Compared {...found} other={lastOther} beside={beside} />
        ) : (
          <Arrangeable {...found} sent={sent} can={can} onSaved={retry} />
        )}
        {!isStart && (
          <Later
            summary={t.code}
            load={async () => (await import('./call-code.tsx')).CallCode}
            with={{ question: sent.question, settings: sent.settings, facts }}
          />
        )}
        {can('search:read') && (
          <Later
            summary={t.checks}
            load={async () => (await import('./checks.tsx')).Checks}
            with={{ question: sent.question, answer: isStart ? null : last, can }}
          />
        )}
      </Panel>
    </div>
  )
}
