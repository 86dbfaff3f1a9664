import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { Panel } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import type { PageProps } from '../../shell/routes.ts'
import { AuditLog } from './audit-log.tsx'
import { Groups } from './groups.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { Members } from './members.tsx'
import { ROLES, t } from './texts/texts.ts'

export function Page({ can, store }: PageProps) {
  const mayInvite = can('team:invite')
  const mayManage = can('team:manage')
  const mayAudit = can('security:manage')
  const members = useLoad((signal) => call('GET /v1/team/members', { signal }), [store])
  const groups = useLoad(
    async (signal) => (mayManage ? call('GET /v1/user-groups', { signal }) : []),
    [store, mayManage],
  )
  const [round, setRound] = useState(0)
  const [isInviting, setInviting] = useState(false)
  const [, reloadMembers] = members
  const [groupsLoaded, reloadGroups] = groups
  return (
    <div class="plain-page team">
      <div class="page-head">
        <h1>{t.heading}</h1>
        {mayInvite && (
          <button type="button" class="primary" onClick={() => setInviting(true)}>
            {t.invite}
          </button>
        )}
      </div>
      <Panel>
        <h2>{t.members}</h2>
        <Show of={members}>
          {(list) => (
            <Members
              members={list.members}
              groups={groupsLoaded.state === 'there' ? groupsLoaded.value : []}
              {...{ mayManage, mayInvite }}
              onChanged={() => {
                reloadMembers()
                reloadGroups()
              }}
            />
          )}
        </Show>
        <p class="muted">
          <a href="/portal/account">{t.ownAccount}</a>
        </p>
        <h3>{t.rolesMean}</h3>
        <dl class="roles">
          {ROLES.map((role) => (
            <div key={role}>
              <dt>{t.roles[role]}</dt>
              <dd>{t.roleMeans[role]}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {mayInvite && (
        <Panel>
          <h2>{t.invitations}</h2>
          <Invitations round={round} />
        </Panel>
      )}
      {mayManage && (
        <Panel>
          <details class="own-groups">
            <summary>
              <h2>{t.groups}</h2>
            </summary>
            <Show of={groups}>
              {(list) => (
                <Groups
                  list={list}
                  {...{ can }}
                  onChanged={() => {
                    reloadGroups()
                    reloadMembers()
                  }}
                />
              )}
            </Show>
          </details>
        </Panel>
      )}
      <Panel>
        <h2>{t.audit}</h2>
        {mayAudit ? <AuditLog /> : <p class="muted">{t.mayNotAudit}</p>}
      </Panel>
      {isInviting && (
        <InviteDialog onInvited={() => setRound((n) => n + 1)} onClose={() => setInviting(false)} />
      )}
    </div>
  )
}
