import { useEffect, useState } from 'preact/hooks'
import type { SearchCheck, SearchCheckList, SearchResponse } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatAgo, formatNumber } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { NewCheck } from './new-check.tsx'
import type { Question } from './question.ts'
import { t } from './texts/texts.ts'

export interface ChecksProps {
  question: Question
  answer: SearchResponse | null
  can(permission: string): boolean
}

/** Searches that are kept with what they must find, to be run again after a change. */
export function Checks({ question, answer, can }: ChecksProps) {
  const [loaded, reload] = useLoad<SearchCheckList>((signal) => call('GET /v1/search/checks', { signal }), [])
  const [last, setLast] = useState<SearchCheckList | null>(null)
  const [doomed, setDoomed] = useState<SearchCheck | null>(null)
  useEffect(() => {
    if (loaded.state === 'there') setLast(loaded.value)
  }, [loaded])
  const mayWrite = can('search:write')
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={reload} />
  const checks = last?.checks ?? []
  return (
    <div class="saved-checks">
      <p class="muted">{t.checksHint}</p>
      {last && checks.length === 0 && <p>{t.noChecks}</p>}
      {last && checks.length > 0 && (
        <>
          <BeforeAndAfter list={last} />
          <ul>
            {checks.map((check) => (
              <OneCheck key={check.id} check={check} onDelete={mayWrite ? () => setDoomed(check) : null} />
            ))}
          </ul>
          {mayWrite && <RunAll count={checks.length} onEnd={reload} />}
        </>
      )}
      {mayWrite && answer && <NewCheck question={question} answer={answer} onSaved={reload} />}
      {doomed && (
        <Confirm
          question={t.deleteCheck(doomed.name)}
          action={t.deleteCheckNow}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await call('DELETE /v1/search/checks/{id}', { path: { id: doomed.id } })
            reload()
          }}
        >
          <p>{t.deleteCheckHint}</p>
        </Confirm>
      )}
    </div>
  )
}

const ruleOf = ({ query, expect, within }: SearchCheck): string =>
  t.checkRule(query === null ? t.thisPhoto : `“${query}”`, expect.join(', '), formatNumber(within))

/** What another model has done to the checks of the store; nothing where there was none. */
function BeforeAndAfter({ list: { checks, count, passed, before } }: { list: SearchCheckList }) {
  const model = checks.find((check) => check.before)?.last_run?.model
  if (!before || !model) return null
  return (
    <p class="note">
      {t.checksNow(model, formatNumber(passed), formatNumber(count))}{' '}
      {t.checksBefore(before.model, formatNumber(before.passed), formatNumber(before.total))}
    </p>
  )
}

type Run = NonNullable<SearchCheck['before'] | SearchCheck['last_run']>

const verdictOf = ({ passed }: Pick<Run, 'passed'>): string => (passed ? `✓ ${t.passed}` : `✗ ${t.missed}`)

/** Where the products stand, and where they stood with the model before, if that was another place. */
function describePlaces({ last_run, before }: SearchCheck): string {
  const findBefore = (id: string) => before?.found.find(({ product_id }) => product_id === id)
  const lines = last_run?.found.map(({ product_id, rank }) => {
    const place = rank === null ? t.notAmong(product_id) : t.atPlace(product_id, formatNumber(rank))
    const earlier = findBefore(product_id)
    if (!earlier || earlier.rank === rank) return place
    return `${place} (${t.before(earlier.rank === null ? '–' : formatNumber(earlier.rank))})`
  })
  return lines?.join(' · ') ?? ''
}

function OneCheck({ check, onDelete }: { check: SearchCheck; onDelete: (() => void) | null }) {
  const { name, last_run, before, is_waiting } = check
  return (
    <li>
      <p>
        <strong dir="auto">{name}</strong>{' '}
        {last_run && (
          <span class={last_run.passed ? 'check-verdict' : 'check-verdict problem'}>
            {verdictOf(last_run)}
          </span>
        )}{' '}
        {last_run && before && before.passed !== last_run.passed && (
          <span class="muted">{t.before(verdictOf(before))}</span>
        )}{' '}
        {(is_waiting || !last_run) && <span class="muted">{is_waiting ? t.checkWaits : t.notRun}</span>}
      </p>
      <p class="muted" dir="auto">
        {ruleOf(check)}
      </p>
      {last_run && (
        <p class="muted">
          {last_run.error ? last_run.error.message : describePlaces(check)} · {formatAgo(last_run.run_at)}
        </p>
      )}
      {onDelete && (
        <button type="button" class="link danger" onClick={onDelete}>
          {t.deleteCheckNow}
        </button>
      )}
    </li>
  )
}

const EVERY_MS = 1_000

/** Runs all checks, and follows the job as long as it runs. */
function RunAll({ count, onEnd }: { count: number; onEnd(): void }) {
  const [state, setState] = useState<'idle' | { job: string; done: number } | CallError>('idle')
  const job = typeof state === 'object' && 'job' in state ? state.job : null

  useEffect(() => {
    if (job === null) return
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    async function follow(job_id: string) {
      const { status, processed } = await call('GET /v1/jobs/{job_id}', {
        path: { job_id },
        signal: stop.signal,
      })
      if (stop.signal.aborted) return
      if (status !== 'processing') {
        setState('idle')
        return onEnd()
      }
      setState({ job: job_id, done: processed })
      timer = setTimeout(look, EVERY_MS)
    }
    const look = () =>
      follow(job).catch((thrown: unknown) => stop.signal.aborted || setState(toCallError(thrown)))
    look()
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [job])

  async function run() {
    try {
      const { job_id } = await call('POST /v1/search/checks/run', { body: {} })
      setState({ job: job_id, done: 0 })
    } catch (thrown) {
      const error = toCallError(thrown)
      // They run already, perhaps for somebody else.
      const running = error.status === 409 && error.details['job_id']
      setState(typeof running === 'string' ? { job: running, done: 0 } : error)
    }
  }

  if (typeof state === 'object' && 'job' in state)
    return (
      <p class="job" role="status">
        <progress value={state.done} max={count} aria-hidden="true" />
        {t.running(formatNumber(state.done), formatNumber(count))}
      </p>
    )
  return (
    <>
      {state !== 'idle' && <Failure error={state} />}
      <p>
        <button type="button" onClick={run}>
          {t.runAll(formatNumber(count))}
        </button>
      </p>
    </>
  )
}
