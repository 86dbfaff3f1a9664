import { useState } from 'preact/hooks'
import type { RecentRequest } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatMoment, formatNumber } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { nameOf } from './credential-table.tsx'
import type { Credential } from './credentials.ts'
import { EditKeyDialog } from './edit-key.tsx'
import { asMade, type Made } from './made.ts'
import { t } from './texts/texts.ts'

interface CredentialDialogProps {
  credential: Credential
  can(right: string): boolean
  onMade(made: Made): void
  onChanged(): void
  onClose(): void
}

const REQUESTS: Column<RecentRequest>[] = [
  { label: t.when, draw: ({ created_at }) => <span title={created_at}>{formatMoment(created_at)}</span> },
  {
    label: t.call,
    draw: ({ method, path }) => (
      <code>
        {method} {path}
      </code>
    ),
  },
  {
    label: t.answer,
    isNumber: true,
    draw: ({ status }) => (
      <span class={status >= 400 ? 'state problem' : undefined}>
        {status}
        {status >= 400 && ` ${t.refused}`}
      </span>
    ),
  },
  { label: t.took, isNumber: true, draw: ({ duration_ms }) => t.ms(formatNumber(Math.round(duration_ms))) },
  { label: t.requestId, draw: ({ request_id }) => <code>{request_id}</code> },
]

/** One credential: what it has called lately, a new value for it, and its end. */
export function CredentialDialog(props: CredentialDialogProps) {
  const { credential, can, onMade, onChanged, onClose } = props
  const { kind, id } = credential
  const [asked, setAsked] = useState<'change' | 'rotate' | 'revoke' | null>(null)
  const name = nameOf(credential)
  const mayRotate = kind === 'api_key' || (kind === 'secret' && can('security:manage'))
  return (
    <Dialog class="wide-drawer" label={name} onClose={onClose}>
      <button type="button" class="close" onClick={onClose} aria-label={t.close}>
        ×
      </button>
      <h2 dir="auto">{name}</h2>
      {kind === 'secret' && (
        <div class="field">
          <p class="label">{t.clientId}</p>
          <Copied text={id} />
        </div>
      )}
      <p class="actions">
        {kind === 'api_key' && (
          <button type="button" onClick={() => setAsked('change')}>
            {t.changeKey}
          </button>
        )}
        {mayRotate && (
          <button type="button" onClick={() => setAsked('rotate')}>
            {kind === 'secret' ? t.rotateSecret : t.rotate}
          </button>
        )}
        {kind === 'secret' && !mayRotate && <span class="muted">{t.mayNotRotate}</span>}
        {kind === 'api_key' && (
          <button type="button" class="danger" onClick={() => setAsked('revoke')}>
            {t.revoke}
          </button>
        )}
      </p>
      {credential.previousEndsAt && Date.parse(credential.previousEndsAt) > Date.now() && (
        <p class="note">{t.previousUntil(formatMoment(credential.previousEndsAt))}</p>
      )}
      <Panel>
        <h3>{t.lastCalls}</h3>
        <Calls id={id} />
      </Panel>
      {asked === 'change' && (
        <EditKeyDialog {...{ id, can }} onSaved={onChanged} onClose={() => setAsked(null)} />
      )}
      {asked === 'rotate' && <Rotation {...{ credential, onMade }} onClose={() => setAsked(null)} />}
      {asked === 'revoke' && (
        <Confirm
          question={t.revokeSure(name)}
          action={t.revoke}
          onConfirm={async () => {
            await call('DELETE /v1/security/api-keys/{id}', { path: { id } })
            onChanged()
          }}
          onClose={() => setAsked(null)}
        >
          <p>{t.revokeHint}</p>
        </Confirm>
      )}
    </Dialog>
  )
}

/** The last calls, from the memory of the service. */
function Calls({ id }: { id: string }) {
  const loaded = useLoad(
    (signal) => call('GET /v1/security/requests', { query: { key_id: id }, signal }),
    [id],
  )
  const [, reload] = loaded
  return (
    <Show of={loaded}>
      {({ requests, count }) =>
        count === 0 ? (
          <p class="muted">{t.noCalls}</p>
        ) : (
          <>
            <p class="actions">
              <span class="muted">{t.calls(formatNumber(count))}</span>
              <button type="button" class="link" onClick={reload}>
                {t.lookAgain}
              </button>
            </p>
            <Table
              label={t.lastCalls}
              columns={REQUESTS}
              rows={requests}
              keyOf={({ request_id }) => request_id}
            />
          </>
        )
      }
    </Show>
  )
}

/** A new value. An old key can go on for a while; an old client secret ends at once. */
function Rotation({
  credential,
  onMade,
  onClose,
}: Pick<CredentialDialogProps, 'credential' | 'onMade' | 'onClose'>) {
  const { kind, id, addresses } = credential
  const [grace, setGrace] = useState('86400')

  async function rotate() {
    if (kind === 'api_key')
      return onMade(
        asMade(
          await call('POST /v1/security/api-keys/{id}/rotate', {
            path: { id },
            body: { grace_seconds: Number(grace) },
          }),
        ),
      )
    const { client_id, client_secret } = await call('POST /v1/security/client-secret/rotate', { body: {} })
    onMade({
      title: t.secretMade,
      parts: [
        [t.clientId, client_id],
        [t.secret, client_secret],
      ],
    })
  }

  return (
    <Confirm
      question={kind === 'secret' ? t.rotateSecretSure : t.rotateSure(nameOf(credential))}
      action={kind === 'secret' ? t.rotateSecret : t.rotate}
      onConfirm={rotate}
      onClose={onClose}
    >
      {kind === 'secret' ? (
        <>
          <p>
            <strong>{addresses > 0 ? t.machines(addresses) : t.noMachines}</strong>
          </p>
          <p>{t.rotateSecretHint}</p>
        </>
      ) : (
        <Choice label={t.grace} value={grace} onValue={setGrace} choices={Object.entries(t.graces)} />
      )}
    </Confirm>
  )
}
