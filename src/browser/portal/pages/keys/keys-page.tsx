import { useState } from 'preact/hooks'
import type { ApiKey, ClientSecret, Member, WidgetKey } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import type { PageProps } from '../../shell/routes.ts'
import { CredentialDialog } from './credential-dialog.tsx'
import { CredentialTable } from './credential-table.tsx'
import { type Credential, listCredentials } from './credentials.ts'
import { IpList } from './ip-list.tsx'
import { asMade, type Made } from './made.ts'
import { NewKeyDialog } from './new-key.tsx'
import { t } from './texts/texts.ts'

/** Everything that opens the store to a program. */
export interface Keys {
  secret: ClientSecret
  apiKeys: readonly ApiKey[]
  widgetKeys: readonly WidgetKey[]
  members: readonly Member[]
}

async function loadKeys(signal: AbortSignal): Promise<Keys> {
  const [secret, { api_keys }, { public_keys }, { members }] = await Promise.all([
    call('GET /v1/security/client-secret', { signal }),
    call('GET /v1/security/api-keys', { signal }),
    call('GET /v1/security/public-keys', { signal }),
    call('GET /v1/team/members', { signal }),
  ])
  return { secret, apiKeys: api_keys, widgetKeys: public_keys, members }
}

export function Page(props: PageProps) {
  const { can, store } = props
  if (!can('keys:manage'))
    return (
      <>
        <h1>{t.heading}</h1>
        <p class="muted">{t.mayNot}</p>
      </>
    )
  return <Credentials can={can} store={store} />
}

function Credentials({ can, store }: PageProps) {
  const loaded = useLoad(loadKeys, [store])
  const [, reload] = loaded
  const [opened, setOpened] = useState<Credential | null>(null)
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<Made | null>(null)

  function show(secret: Made) {
    setOpened(null)
    setAdding(false)
    setMade(secret)
    reload()
  }

  return (
    <div class="plain-page">
      <div class="page-head">
        <h1>{t.heading}</h1>
        <button type="button" class="primary" onClick={() => setAdding(true)}>
          {t.newKey}
        </button>
      </div>
      <Panel>
        <p class="muted">{t.intro}</p>
        <Show of={loaded}>
          {(keys) => (
            <CredentialTable
              rows={listCredentials(keys)}
              members={keys.members}
              {...{ store }}
              onOpen={setOpened}
            />
          )}
        </Show>
      </Panel>
      <Panel>
        <h2>{t.ipList}</h2>
        <IpList mayChange={can('security:manage')} />
      </Panel>
      {opened && (
        <CredentialDialog
          {...{ credential: opened, can }}
          onMade={show}
          onChanged={() => {
            setOpened(null)
            reload()
          }}
          onClose={() => setOpened(null)}
        />
      )}
      {isAdding && (
        <NewKeyDialog can={can} onMade={(key) => show(asMade(key))} onClose={() => setAdding(false)} />
      )}
      {made && <MadeDialog made={made} onClose={() => setMade(null)} />}
    </div>
  )
}

/** Shows a new secret once. Only its button closes it: a click beside the dialog must not lose it. */
const MadeDialog = ({ made: { title, parts }, onClose }: { made: Made; onClose(): void }) => (
  <Dialog class="asked" label={title}>
    <div class="form">
      <h2 dir="auto">{title}</h2>
      <p>{t.shownOnce}</p>
      {parts.map(([label, value]) => (
        <div key={label} class="field">
          <p class="label">{label}</p>
          <Copied text={value} />
        </div>
      ))}
      <p>
        <button type="button" onClick={onClose}>
          {t.kept}
        </button>
      </p>
    </div>
  </Dialog>
)
