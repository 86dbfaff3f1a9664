import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t as shell } from '../../texts/texts.ts'
import { Command } from './act.tsx'
import { commandOf } from './command.ts'
import { t } from './texts/texts.ts'

export function Tab() {
  const [loaded, retry] = useLoad((signal) => call('GET /version', { signal }), [])
  return (
    <div class="prose">
      <h1>{t.tabs.version}</h1>
      {loaded.state === 'loading' && <p class="waiting">{shell.loading}</p>}
      {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={retry} />}
      {loaded.state === 'there' && (
        <dl class="facts">
          <dt>{t.versionOf}</dt>
          <dd>{loaded.value.version}</dd>
          <dt>{t.schema}</dt>
          <dd>{formatNumber(loaded.value.schema)}</dd>
          <dt>API</dt>
          <dd>{loaded.value.api.join(', ')}</dd>
        </dl>
      )}
      <Command line={commandOf('version')} />
      <h2>{t.licences}</h2>
      <p>{t.licencesHint}</p>
      <p class="actions">
        <a class="button" href="/licences" target="_blank" rel="noopener">
          {t.readLicences}
        </a>
        <a href="/licences.txt" target="_blank" rel="noopener">
          {t.licencesAsText}
        </a>
        <a href="/docs/guide/changelog" target="_blank" rel="noopener">
          {t.changelog}
        </a>
      </p>
      <Command line={commandOf('licences')} />
    </div>
  )
}
