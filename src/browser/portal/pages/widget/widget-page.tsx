import type { Plan, StoreSettings, StoreSettingsPatch, WidgetKey } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { send } from '../../api/transport.ts'
import { useHeld } from '../../parts/held.ts'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { address, type PageProps, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { AddressStep } from './address-step.tsx'
import { KeyStep } from './key-step.tsx'
import { LookStep } from './look-step.tsx'
import { PreviewStep } from './preview-step.tsx'
import { SeenStep } from './seen-step.tsx'
import { type Look, readLook } from './snippet.ts'
import { SnippetStep } from './snippet-step.tsx'
import { SystemStep } from './system-step.tsx'
import { t } from './texts/texts.ts'

/** What the whole page needs before its first step. */
interface Ground {
  keys: readonly WidgetKey[]
  /** null for a role that may not read them. */
  settings: StoreSettings | null
  /** Address of the widget's script, as shops see it. */
  src: string
  plan: Plan | undefined
}

async function loadGround(can: PageProps['can'], signal: AbortSignal): Promise<Ground> {
  const [{ public_keys }, settings, { src }, plans] = await Promise.all([
    call('GET /v1/security/public-keys', { signal }),
    can('security:manage') ? call('GET /v1/store/settings', { signal }) : null,
    send('GET', '/widget.json', { signal }) as Promise<{ src: string }>,
    can('billing:read') ? call('GET /v1/billing/plans', { signal }) : [],
  ])
  return { keys: public_keys, settings, src, plan: plans.find(({ is_current }) => is_current) }
}

export function Page({ store, can }: PageProps) {
  const mayManage = can('keys:manage')
  const [loaded, retry] = useLoad<Ground | null>(
    async (signal) => (mayManage ? loadGround(can, signal) : null),
    [store, mayManage],
  )
  const [ground, setGround] = useHeld(loaded)
  return (
    <>
      <h1>{t.heading}</h1>
      {!mayManage && <p class="muted">{t.noRights}</p>}
      {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={retry} />}
      {loaded.state === 'loading' && <p class="skeleton" aria-hidden="true" />}
      {ground && (
        <Steps
          ground={ground}
          onGround={(change) => setGround((value) => value && change(value))}
          {...{ store, can }}
        />
      )}
    </>
  )
}

function Steps({
  ground,
  onGround,
  store,
  can,
}: PageProps & { ground: Ground; onGround(change: (ground: Ground) => Ground): void }) {
  const { keys, settings, src, plan } = ground
  const query = new URLSearchParams(useSignal(address).split('?')[1])
  const look = readLook(query)
  const chosen = keys.find(({ id }) => id === query.get('key')) ?? keys[0] ?? null
  const system = settings?.shop_system ?? 'other'

  function change(changes: Readonly<Record<string, string>>) {
    const next = new URLSearchParams(query)
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value)
      else next.delete(name)
    setQuery(next)
  }
  const changeLook = ({ needsConsent, ...changes }: Partial<Look>) =>
    change({
      ...changes,
      ...(needsConsent !== undefined && { consent: needsConsent ? 'required' : '' }),
    })
  async function saveFacts(facts: StoreSettingsPatch) {
    const saved = await call('PATCH /v1/store/settings', { body: facts })
    onGround((newest) => ({ ...newest, settings: saved }))
  }

  function takeKey(key: WidgetKey) {
    const isNew = !keys.some(({ id }) => id === key.id)
    onGround((newest) => ({
      ...newest,
      keys: isNew ? [...newest.keys, key] : newest.keys.map((one) => (one.id === key.id ? key : one)),
    }))
    if (isNew) change({ key: key.id })
  }
  const dropKey = (id: string) =>
    onGround((newest) => ({ ...newest, keys: newest.keys.filter((key) => key.id !== id) }))

  return (
    <div class="widget-steps">
      <p class="lead">{t.lead}</p>
      <Panel class="step">
        <SystemStep settings={settings} onFacts={saveFacts} />
      </Panel>
      <Panel class="step">
        <KeyStep
          {...{ keys, chosen, settings }}
          onChoose={(id) => change({ key: id })}
          onKey={takeKey}
          onRevoked={dropKey}
          onFacts={saveFacts}
        />
      </Panel>
      <Panel class="step">
        <AddressStep settings={settings} onFacts={saveFacts} />
      </Panel>
      <Panel class="step">
        <LookStep look={look} onLook={changeLook} system={system} />
      </Panel>
      <Panel class="step preview">
        <PreviewStep keyId={chosen?.id ?? null} look={look} maySearch={can('search:execute')} />
      </Panel>
      {chosen && (
        <>
          <Panel class="step">
            <SnippetStep {...{ shown: chosen, look, system, src }} />
          </Panel>
          <Panel class="step">
            <SeenStep
              key={chosen.id}
              {...{ store, shown: chosen, plan }}
              mayRead={can('search:read')}
              onKey={takeKey}
            />
          </Panel>
        </>
      )}
    </div>
  )
}
