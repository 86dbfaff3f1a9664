import type { ModelFetch } from '#generated/api.ts'
import { call } from '../../../api/client.ts'
import { Copied } from '../../../parts/copy.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { useAction } from '../../../parts/use-action.ts'
import { t as shell } from '../../../texts/texts.ts'
import { formatBytes } from '../amounts.ts'
import { commandOf } from '../command.ts'
import { Refused } from './asked.tsx'
import { t } from './texts/texts.ts'

/** The command that takes a folder from elsewhere. */
export const addCommand = (): string => commandOf('model', ['add', 'FOLDER'])

interface FetchingProps {
  fetch: ModelFetch
  refresh(): void
}

/** The download that runs, or how the last one ended. */
export function Fetching({ fetch, refresh }: FetchingProps) {
  const { name, state, error } = fetch
  return (
    <Panel class="block stack">
      <h2>{state === 'running' ? t.fetching(name) : t.lastFetch}</h2>
      <p role="status">{state !== 'running' && t.fetchEnds[state](name)}</p>
      {state === 'running' && <Running {...{ fetch, refresh }} />}
      {state === 'failed' && (
        <>
          {error && <p lang="en">{error}</p>}
          <p>{t.withoutNetwork}</p>
          <Copied text={addCommand()} />
        </>
      )}
    </Panel>
  )
}

function Running({ fetch: { step, bytes, bytes_total }, refresh }: FetchingProps) {
  const stopping = useAction(() => call('POST /v1/admin/models/fetch/cancel').finally(refresh))
  const isLoading = step === null || step === 'download'
  const label = t.fetchSteps[step ?? 'download']
  return (
    <>
      <p class="job">
        <span>{label}</span>
        {/* Without a value while the model is tried: nobody knows how long that takes. */}
        <progress {...(isLoading && { value: bytes, max: Math.max(1, bytes_total) })} aria-label={label} />
        {isLoading && <span class="muted">{shell.of(formatBytes(bytes), formatBytes(bytes_total))}</span>}
      </p>
      {stopping.error && <Refused error={stopping.error} />}
      <p class="actions">
        <button type="button" disabled={stopping.isBusy} onClick={stopping.run}>
          {t.cancelFetch}
        </button>
      </p>
    </>
  )
}
