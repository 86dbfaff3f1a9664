import { useState } from 'preact/hooks'
import type { OwnStore, StoreSettings } from '#generated/api.ts'
import { call, readVersion, type Versioned } from '../../api/client.ts'
import { Panel } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import type { PageProps } from '../../shell/routes.ts'
import { DeleteStore } from './delete-store.tsx'
import { SettingsForm } from './settings-form.tsx'
import { t } from './texts/texts.ts'

async function loadAll(
  signal: AbortSignal,
): Promise<{ store: OwnStore; settings: Versioned<StoreSettings> }> {
  const [store, settings] = await Promise.all([
    call('GET /v1/store', { signal }),
    readVersion('GET /v1/store/settings', { signal }),
  ])
  return { store, settings }
}

export function Page({ can, store }: PageProps) {
  const mayChange = can('security:manage')
  const loaded = useLoad(async (signal) => (mayChange ? loadAll(signal) : null), [store, mayChange])
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div class="plain-page">
      <div class="page-head">
        <h1>{t.heading}</h1>
      </div>
      {!mayChange && <p class="muted">{t.mayNot}</p>}
      <Panel>
        <Show of={loaded}>{(all) => all && <SettingsForm {...all} />}</Show>
      </Panel>
      {can('store:delete') && (
        <Panel>
          <h2>{t.end}</h2>
          <p>{t.endHint}</p>
          <p class="after">
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              {t.deleteStore}
            </button>
          </p>
          {isDeleting && <DeleteStore slug={store} onClose={() => setDeleting(false)} />}
        </Panel>
      )}
    </div>
  )
}
