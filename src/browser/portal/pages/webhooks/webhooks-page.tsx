import { useState } from 'preact/hooks'
import type { NewWebhook, SigningSecret, Webhook } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import type { PageProps } from '../../shell/routes.ts'
import { Callbacks } from './callbacks.tsx'
import { Checker } from './checker.tsx'
import { EndpointDialog } from './endpoint-form.tsx'
import { Endpoints } from './endpoints.tsx'
import { Inbox } from './inbox.tsx'
import { t } from './texts/texts.ts'

/** A signing secret that was made just now. */
type Secret = Pick<NewWebhook, 'secret' | 'standard_secret'> | SigningSecret

export function Page({ can, store }: PageProps) {
  const mayRead = can('search:read')
  const mayChange = can('search:write')
  const endpoints = useLoad(
    async (signal) => (mayRead ? call('GET /v1/search/webhooks', { signal }) : []),
    [store, mayRead],
  )
  const [, reload] = endpoints
  const [edited, setEdited] = useState<Webhook | 'new' | null>(null)
  const [secret, setSecret] = useState<Secret | null>(null)
  if (!mayRead)
    return (
      <>
        <h1>{t.heading}</h1>
        <p class="muted">{t.mayNot}</p>
      </>
    )
  return (
    <div class="plain-page">
      <div class="page-head">
        <h1>{t.heading}</h1>
        {mayChange ? (
          <button type="button" class="primary" onClick={() => setEdited('new')}>
            {t.newEndpoint}
          </button>
        ) : (
          <span class="muted">{t.mayNotChange}</span>
        )}
      </div>
      <Panel>
        <Inbox />
      </Panel>
      <Panel>
        <h2>{t.endpoints}</h2>
        <Show of={endpoints}>
          {(list) => (
            <Endpoints list={list} {...{ mayChange, reload }} onEdit={setEdited} onSecret={setSecret} />
          )}
        </Show>
      </Panel>
      {can('security:manage') && (
        <Panel>
          <Callbacks onSecret={setSecret} />
        </Panel>
      )}
      <Panel>
        <h2>{t.checker}</h2>
        <Checker />
      </Panel>
      {edited && (
        <EndpointDialog
          id={edited === 'new' ? null : edited.id}
          onSaved={(made) => {
            setEdited(null)
            if (made) setSecret(made)
            reload()
          }}
          onClose={() => setEdited(null)}
        />
      )}
      {secret?.secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </div>
  )
}

/** Shows a signing secret once, in both forms. Only its button closes it. */
const SecretDialog = ({ secret, onClose }: { secret: Secret; onClose(): void }) => (
  <Dialog class="asked" label={t.secretMade}>
    <div class="form">
      <h2>{t.secretMade}</h2>
      <p>{t.shownOnce}</p>
      <div class="field">
        <p class="label">{t.secret}</p>
        <Copied text={secret.secret ?? ''} />
      </div>
      {secret.standard_secret && secret.standard_secret !== secret.secret && (
        <div class="field">
          <p class="label">{t.standardSecret}</p>
          <Copied text={secret.standard_secret} />
        </div>
      )}
      <p>
        <button type="button" onClick={onClose}>
          {t.kept}
        </button>
      </p>
    </div>
  </Dialog>
)
