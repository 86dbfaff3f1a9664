import { useState } from 'preact/hooks'
import type { AdminUser } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatAgo, formatMoment, formatNumber } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { me } from '../../shell/me.ts'
import { t as shell } from '../../texts/texts.ts'
import { Act, Command } from './act.tsx'
import { commandOf } from './command.ts'
import { hrefOfStore } from './store-address.ts'
import { t } from './texts/texts.ts'

interface DrawerProps {
  id: string
  onClose(): void
  /** Called when the person is not what the list shows any more. */
  onChange(): void
}

/** One person over the list: their stores and sign-ins, and what the operator may do for them. */
export function PersonDrawer({ id, onClose, onChange }: DrawerProps) {
  const [round, setRound] = useState(0)
  const [loaded, retry] = useLoad(
    (signal) => call('GET /v1/admin/users/{id}', { path: { id }, signal }),
    [id, round],
  )
  // The forms stay while the person is read again.
  const [known, setKnown] = useState<AdminUser | null>(null)
  const person = loaded.state === 'there' ? loaded.value : known
  return (
    <Dialog class="drawer" label={person?.full_name ?? t.person} onClose={onClose}>
      <button type="button" class="close" onClick={onClose} aria-label={t.close}>
        ×
      </button>
      {loaded.state === 'loading' && !person && <p class="waiting">{shell.loading}</p>}
      {loaded.state === 'failed' &&
        (loaded.error.status === 404 ? (
          <p>{t.personGone}</p>
        ) : (
          <Failure error={loaded.error} onRetry={retry} />
        ))}
      {person && loaded.state !== 'failed' && (
        <>
          <Facts person={person} />
          <Acts
            person={person}
            onChange={() => {
              setKnown(person)
              setRound((n) => n + 1)
              onChange()
            }}
          />
          <Deletion
            person={person}
            onDeleted={() => {
              onChange()
              onClose()
            }}
          />
        </>
      )}
    </Dialog>
  )
}

function Facts({ person }: { person: AdminUser }) {
  const { email, full_name, is_super_admin, is_locked, is_proven, stores, last_login_at } = person
  return (
    <>
      <div class="product-head store-head">
        <Picture src={null} name={full_name} kind={email} />
        <div>
          <h2 dir="auto">{full_name}</h2>
          <p>
            <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
          </p>
          {is_super_admin && <p class="state">{t.superAdmin}</p>}
          {is_locked && <p class="state problem">{t.locked}</p>}
          {!is_proven && <p class="state">{t.unproven}</p>}
        </div>
      </div>
      <dl class="facts">
        <dt>{t.tabs.stores}</dt>
        <dd>
          {stores.length === 0 && '–'}
          {stores.map(({ id, slug, role }) => (
            <a key={id} class="name" href={hrefOfStore(id)}>
              {slug} ({t.roles[role]})
            </a>
          ))}
        </dd>
        <dt>{t.secondFactor}</dt>
        <dd>{person.two_factor_enabled ? t.on : t.off}</dd>
        <dt>{t.signIns}</dt>
        <dd>{formatNumber(person.sign_ins)}</dd>
        <dt>{t.lastSignIn}</dt>
        <dd>{last_login_at ? formatMoment(last_login_at) : '–'}</dd>
        <dt>{t.made}</dt>
        <dd title={formatMoment(person.created_at)}>{formatAgo(person.created_at)}</dd>
      </dl>
    </>
  )
}

function Acts({ person, onChange }: { person: AdminUser; onChange(): void }) {
  const { email } = person
  const path = { id: person.id }
  return (
    <div class="acts">
      <Act
        label={t.unlock}
        hint={t.unlockHint}
        command={commandOf('user unlock', [email])}
        run={async () => {
          await call('POST /v1/admin/users/{id}/unlock', { path })
          onChange()
          return t.unlocked
        }}
      />
      <Act
        label={t.resetPassword}
        hint={t.resetPasswordHint}
        command={commandOf('user reset-password', [email])}
        run={async () => {
          const { reset_url } = await call('POST /v1/admin/users/{id}/reset', { path })
          if (reset_url === null) return t.resetMailed(email)
          return (
            <>
              <p>{t.handOver(email)}</p>
              <Copied text={reset_url} label={t.copyLink} />
            </>
          )
        }}
      />
      <Act
        label={t.endSessions}
        hint={t.endSessionsHint}
        command={commandOf('user end-sessions', [email])}
        run={async () => {
          const { ended } = await call('POST /v1/admin/users/{id}/end-sessions', { path })
          onChange()
          return t.sessionsEnded(formatNumber(ended))
        }}
      />
      {person.two_factor_enabled && (
        <Act
          label={t.resetFactor}
          hint={t.resetFactorHint}
          kind="danger"
          command={commandOf('user reset-2fa', [email])}
          run={async () => {
            await call('POST /v1/admin/users/{id}/reset-2fa', { path })
            onChange()
            return t.factorReset
          }}
        />
      )}
      {!person.is_proven && (
        <Act
          label={t.verify}
          hint={t.verifyHint}
          command={commandOf('user verify', [email])}
          run={async () => {
            await call('POST /v1/admin/users/{id}/verify', { path })
            onChange()
            return t.verified
          }}
        />
      )}
      <SuperAdmin person={person} onChange={onChange} />
    </div>
  )
}

/** The one deed that asks for the operator's own password, and for a code where there is a second factor. */
function SuperAdmin({ person, onChange }: { person: AdminUser; onChange(): void }) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const hasFactor = me.get()?.user?.two_factor_enabled === true
  return (
    <Act
      label={person.is_super_admin ? t.takeSuperAdmin : t.makeSuperAdmin}
      hint={person.is_super_admin ? t.takeSuperAdminHint : t.makeSuperAdminHint}
      kind="danger"
      command={commandOf(
        'user super-admin',
        [person.email],
        person.is_super_admin ? { 'take-away': true } : {},
      )}
      run={async () => {
        await call('PATCH /v1/admin/users/{id}', {
          path: { id: person.id },
          body: { is_super_admin: !person.is_super_admin, password, ...(hasFactor && { totp_code: code }) },
        })
        setPassword('')
        setCode('')
        onChange()
        return t.superAdminChanged
      }}
    >
      <Field
        label={t.ownPassword}
        {...{ value: password, onValue: setPassword, type: 'password', required: true }}
        autocomplete="current-password"
      />
      {hasFactor && (
        <Field
          label={shell.code}
          {...{ value: code, onValue: setCode, inputMode: 'numeric', required: true }}
          autocomplete="one-time-code"
        />
      )}
    </Act>
  )
}

function Deletion({ person: { id, email, stores }, onDeleted }: { person: AdminUser; onDeleted(): void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <div class="act">
      <p class="muted">{t.deletePersonHint}</p>
      <p class="actions">
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t.deletePerson}
        </button>
      </p>
      <Command line={commandOf('user delete', [email], { confirm: email })} />
      {isAsking && (
        <Confirm
          question={t.deletePersonSure(email)}
          action={t.deletePerson}
          typed={email}
          onConfirm={async () => {
            await call('DELETE /v1/admin/users/{id}', { path: { id }, body: { confirm: email } })
            onDeleted()
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t.deletePersonGone(formatNumber(stores.length))}</p>
        </Confirm>
      )}
    </div>
  )
}
