import { useState } from 'preact/hooks'
import type { JobItemError } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { addressOf } from '../../shell/routes.ts'
import { t } from './texts/texts.ts'
import { explain } from './words.ts'

interface RowProps {
  failure: JobItemError
  job: string
  store: string
  mayChange: boolean
  /** The item is tried again. */
  onRetried(): void
}

/** Addresses of shops open in a tab of their own. */
const asLink = (url: string | null): string | null =>
  url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null

/** One item that failed: what, why, where its picture is, and another try. */
export function FailedRow({ failure, job, store, mayChange, onRetried }: RowProps) {
  const { index, product_id, image_url, thumbnail_url, retryable } = failure
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  const { text, isOfApi } = explain(failure)
  const link = asLink(image_url)
  const name = product_id ?? t.row(String(index + 1))

  async function retry() {
    setState('busy')
    try {
      await call('POST /v1/jobs/{job_id}/retry', { path: { job_id: job }, body: { indexes: [index] } })
      onRetried()
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <li>
      <Picture src={thumbnail_url} name={name} />
      <div>
        <p>
          <strong dir="auto">
            {thumbnail_url !== null && product_id !== null ? (
              <a href={`${addressOf(store, 'products')}?product=${encodeURIComponent(product_id)}`}>{name}</a>
            ) : (
              name
            )}
          </strong>
        </p>
        <p lang={isOfApi ? 'en' : undefined}>{text}</p>
        {link && (
          <p class="address">
            <a href={link} target="_blank" rel="noopener noreferrer" dir="ltr">
              {link}
            </a>
          </p>
        )}
        {state instanceof Error && <Failure error={state} />}
      </div>
      {mayChange && retryable && (
        <button type="button" disabled={state === 'busy'} onClick={retry}>
          {state === 'busy' ? t.retrying : t.retry}
          <span class="unseen"> {name}</span>
        </button>
      )}
    </li>
  )
}
