import { useState } from 'preact/hooks'
import type { AdminUser, OpenRegistrationList } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Copied } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { Column } from '../../parts/table.tsx'
import { address, addressOfTab, go } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { Act } from './act.tsx'
import { commandOf } from './command.ts'
import { PagedTable } from './paged-table.tsx'
import { PersonDrawer } from './person-drawer.tsx'
import { t } from './texts/texts.ts'
import { useTyped } from './use-typed.ts'

type Registration = OpenRegistrationList['registrations'][number]

const hrefOfPerson = (id: string): string => `${addressOfTab('people')}?person=${encodeURIComponent(id)}`

export function Tab() {
  const opened = new URLSearchParams(useSignal(address).split('?')[1]).get('person')
  const { typed, setTyped, asked } = useTyped()
  const [round, setRound] = useState(0)
  const reload = () => setRound((n) => n + 1)
  return (
    <>
      <div class="heading">
        <h1>{t.tabs.people}</h1>
      </div>
      <div class="filters">
        <Field label={t.findPerson} type="search" value={typed} onValue={setTyped} maxLength={200} />
      </div>
      <PagedTable<AdminUser>
        label={t.tabs.people}
        columns={COLUMNS}
        question={JSON.stringify([asked, round])}
        load={async (cursor, signal) => {
          const { users, next_cursor } = await call('GET /v1/admin/users', {
            query: { q: asked, ...(cursor !== null && { cursor }) },
            signal,
          })
          return { items: users, next: next_cursor }
        }}
        keyOf={({ id }) => id}
        empty={<p class="empty">{t.noPersonFits}</p>}
      />
      <Panel class="block">
        <h2>{t.registrations}</h2>
        <p class="muted">{t.registrationsHint}</p>
        <Registrations round={round} onChange={reload} />
      </Panel>
      <Panel class="block">
        <h2>{t.inviteSomebody}</h2>
        <Invitation />
      </Panel>
      {opened !== null && (
        <PersonDrawer key={opened} id={opened} onClose={() => go(addressOfTab('people'))} onChange={reload} />
      )}
    </>
  )
}

const COLUMNS: readonly Column<AdminUser>[] = [
  {
    label: t.person,
    draw: ({ id, email, full_name }) => (
      <>
        <a class="name" href={hrefOfPerson(id)} dir="auto">
          {full_name}
        </a>
        <span class="muted">{email}</span>
      </>
    ),
  },
  {
    label: t.tabs.stores,
    draw: ({ stores }) =>
      stores.length === 0 ? '–' : stores.map(({ slug, role }) => `${slug} (${t.roles[role]})`).join(', '),
  },
  { label: t.secondFactor, draw: ({ two_factor_enabled }) => (two_factor_enabled ? t.on : t.off) },
  {
    label: t.lastSignIn,
    draw: ({ last_login_at }) => (last_login_at ? <Moment at={last_login_at} /> : '–'),
  },
  {
    label: t.state,
    draw: ({ is_super_admin, is_locked, is_proven }) => (
      <>
        {is_locked && <span class="state problem">{t.locked} </span>}
        {!is_proven && <span class="state">{t.unproven} </span>}
        {is_super_admin && <span class="state">{t.superAdmin}</span>}
      </>
    ),
  },
]

/** Those whose link nobody has opened yet: somebody who is known can be vouched for. */
const Registrations = ({ round, onChange }: { round: number; onChange(): void }) => (
  <PagedTable<Registration>
    label={t.registrations}
    columns={[
      { label: t.email, draw: ({ email }) => email },
      { label: t.store, draw: ({ store_name }) => <span dir="auto">{store_name}</span> },
      {
        label: t.ends,
        draw: ({ expires_at }) => <Moment at={expires_at} />,
      },
      {
        label: t.verify,
        isActions: true,
        draw: ({ id, email }) => (
          <Act
            label={t.verify}
            command={commandOf('user verify', [email])}
            run={async () => {
              await call('POST /v1/admin/users/{id}/verify', { path: { id } })
              onChange()
              return t.verified
            }}
          />
        ),
      },
    ]}
    question={String(round)}
    load={async (cursor, signal) => {
      const { registrations, next_cursor } = await call('GET /v1/admin/registrations', {
        query: cursor === null ? {} : { cursor },
        signal,
      })
      return { items: registrations, next: next_cursor }
    }}
    keyOf={({ id }) => id}
    empty={<p class="muted">{t.noRegistrations}</p>}
  />
)

/** Lets one address register, where the installation takes only those who are invited. */
function Invitation() {
  const [email, setEmail] = useState('')
  return (
    <Act
      label={t.invite}
      hint={t.inviteHint}
      command={commandOf('user invite', [email])}
      run={async () => {
        const { invite } = await call('POST /v1/admin/registrations', { body: { email } })
        if (invite === null) return t.inviteMailed(email)
        return (
          <>
            <p>{t.inviteCode(email)}</p>
            <Copied text={invite} />
          </>
        )
      }}
    >
      <Field
        label={t.email}
        {...{ value: email, onValue: setEmail, type: 'email', required: true }}
        autocomplete="off"
      />
    </Act>
  )
}
