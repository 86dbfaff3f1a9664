import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t as shell } from '../../texts/texts.ts'
import { Command } from './act.tsx'
import { commandOf } from './command.ts'
import { t } from './texts/texts.ts'

export function Tab() {
  const [version, retry] = useLoad((signal) => call('GET /version', { signal }), [])
  return (
    <div class="prose">
      <h1>{t.tabs.models}</h1>
      {version.state === 'loading' && <p class="waiting">{shell.loading}</p>}
      {version.state === 'failed' && <Failure error={version.error} onRetry={retry} />}
      {version.state === 'there' && (
        <dl class="facts">
          <dt>{t.modelInUse}</dt>
          <dd>{version.value.model.id}</dd>
          <dt>{t.modelDimension}</dt>
          <dd>{formatNumber(version.value.model.dimension)}</dd>
          <dt>{t.modelHash}</dt>
          <dd>
            <code>{version.value.model.hash}</code>
          </dd>
        </dl>
      )}
      <p>{t.modelsNotYet}</p>
      <Command line={commandOf('serve', [], { 'model-dir': '/path/to/model' })} />
    </div>
  )
}
