import { useEffect, useState } from 'preact/hooks'
import type { SearchResponse } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type Query, search } from '../../api/search.ts'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { takeHanded } from '../../shell/handed-query.ts'
import { address, type PageProps, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { CallCode } from './call-code.tsx'
import { QueryForm } from './query-form.tsx'
import { Results } from './results.tsx'
import { t } from './texts/texts.ts'

const PAUSE_MS = 300
/** The most hits that an answer holds; the slider then works without another call. */
const LIMIT = 100

/** `shoppers`: with the cut that a widget makes. `everything`: all hits, to see where a cut would be. */
export type View = 'shoppers' | 'everything'

const EMPTY: Query = { words: '', picture: null }

/** What the page asks for: words and a photo, or a product whose likes are wanted. */
export interface Question extends Query {
  product: string | null
}

/** Reads the words, the product and the view of the address, which can be sent to somebody. A photo stays here. */
function readAddress(path: string): { words: string; product: string | null; view: View } {
  const query = new URLSearchParams(path.split('?')[1])
  return {
    words: query.get('q') ?? '',
    product: query.get('product'),
    view: query.get('view') === 'everything' ? 'everything' : 'shoppers',
  }
}

function run({ product, ...query }: Question, view: View, signal: AbortSignal): Promise<SearchResponse> {
  const cutoff = view === 'shoppers' ? 'auto' : 'none'
  const settings = { limit: LIMIT, explain: true, cutoff } as const
  if (query.words.trim() !== '' || query.picture)
    return search({ ...query, words: query.words.trim() }, settings, signal)
  return call('GET /v1/products/{product_id}/similar', {
    path: { product_id: product ?? '' },
    query: { limit: LIMIT, explain: 'true', cutoff, analytics: 'false' },
    signal,
  })
}

export function Page({ store, can }: PageProps) {
  const named = readAddress(useSignal(address))
  const [question, setQuestion] = useState<Question>(() => ({
    ...(takeHanded() ?? { ...EMPTY, words: named.words }),
    product: named.product,
  }))
  const [asked, setAsked] = useState(question)
  const [threshold, setThreshold] = useState(0)
  const { view } = named

  useEffect(() => {
    // The header's search may hand over another query while this page is open.
    const handed = takeHanded()
    if (handed) setQuestion({ ...handed, product: null })
    else if (named.product !== question.product) setQuestion({ ...EMPTY, product: named.product })
  }, [named.words, named.product])

  useEffect(() => {
    const timer = setTimeout(() => setAsked(question), question.words === asked.words ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [question])

  function change(changes: Partial<Question>, nextView = view) {
    const next = { ...question, product: null, ...changes }
    setQuestion(next)
    const query = new URLSearchParams()
    if (next.words) query.set('q', next.words)
    if (next.product) query.set('product', next.product)
    if (nextView !== 'shoppers') query.set('view', nextView)
    setQuery(query)
  }

  const isEmpty = asked.words.trim() === '' && !asked.picture && asked.product === null
  const [answer, retry] = useLoad<SearchResponse | null>(
    async (signal) => (isEmpty ? null : run(asked, view, signal)),
    [asked, view],
  )
  const last = useLast(answer.state === 'there' ? answer.value : undefined)
  if (!can('search:execute')) return <h1>{t.heading}</h1>
  return (
    <div class="playground">
      <h1 class="unseen">{t.heading}</h1>
      <Panel class="ask">
        <QueryForm
          question={question}
          onChange={change}
          view={view}
          onView={(next) => change({ product: question.product }, next)}
          threshold={threshold}
          onThreshold={setThreshold}
          answer={last}
        />
      </Panel>
      <Panel class="answer">
        {answer.state === 'failed' ? (
          <Failure error={answer.error} onRetry={retry} />
        ) : (
          <Results
            answer={last}
            isBusy={answer.state === 'loading' && !isEmpty}
            threshold={threshold}
            store={store}
            onWords={(words) => change({ words })}
            onLower={() => setThreshold(0)}
          />
        )}
        {!isEmpty && <CallCode question={asked} view={view} />}
      </Panel>
    </div>
  )
}

/** The last value that was there: results stay on the screen while the next ones are on their way. */
function useLast<Value>(value: Value | null | undefined): Value | null {
  const [last, setLast] = useState<Value | null>(null)
  useEffect(() => {
    if (value !== undefined) setLast(value)
  }, [value])
  return value === undefined ? last : value
}
