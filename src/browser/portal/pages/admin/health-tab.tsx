import { useState } from 'preact/hooks'
import type { AdminDoctor, AdminHealth } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber, formatShare } from '../../language.ts'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t as shell } from '../../texts/texts.ts'
import { Act } from './act.tsx'
import { formatBytes } from './amounts.ts'
import { commandOf } from './command.ts'
import { t } from './texts/texts.ts'

export function Tab() {
  const [health, retry] = useLoad((signal) => call('GET /v1/admin/health', { signal }), [])
  const [found, setFound] = useState<AdminDoctor | null>(null)
  return (
    <>
      <div class="heading">
        <h1>{t.tabs.health}</h1>
      </div>
      <Panel class="block">
        {health.state === 'loading' && <p class="waiting">{shell.loading}</p>}
        {health.state === 'failed' && <Failure error={health.error} onRetry={retry} />}
        {health.state === 'there' && <Parts health={health.value} />}
      </Panel>
      <Panel class="block">
        <h2>{t.doctor}</h2>
        <Act
          label={t.runDoctor}
          hint={t.doctorHint}
          kind="primary"
          command={commandOf('doctor')}
          run={async () => {
            const answer = await call('GET /v1/admin/doctor')
            setFound(answer)
            return answer.is_ok ? t.doctorWell : t.doctorIll
          }}
        />
        {found && (
          <ul class="doctor" aria-label={t.doctor}>
            {worstFirst(found.checks).map((check) => (
              <Check key={`${check.name} ${check.text}`} {...check} />
            ))}
          </ul>
        )}
      </Panel>
    </>
  )
}

type Finding = AdminDoctor['checks'][number]

const WEIGHTS: Readonly<Record<Finding['state'], number>> = { error: 0, warning: 1, ok: 2 }

const worstFirst = (checks: readonly Finding[]): Finding[] =>
  checks.toSorted((one, other) => WEIGHTS[one.state] - WEIGHTS[other.state])

const Check = ({ name, state, text, cure }: Finding) => (
  <li data-state={state}>
    <span class="state">{t.checkStates[state]}</span>
    <strong lang="en">{name}</strong>
    <div>
      <p lang="en">{text}</p>
      {cure !== null && (
        <p class="cure">
          {t.doctorCure} <span lang="en">{cure}</span>
        </p>
      )}
    </div>
  </li>
)

function Parts({ health }: { health: AdminHealth }) {
  const { checks, disk, jobs, webhooks, mails, stores } = health
  const figures: [label: string, value: string][] = [
    [t.upFor, describeTime(health.uptime_seconds)],
    [t.memory, formatBytes(health.memory_bytes)],
    [t.database, formatBytes(disk.database_bytes)],
    [t.diskFree, disk.free_share === null ? '–' : formatShare(disk.free_share)],
    [t.runningJobs, formatNumber(jobs.running)],
    [t.itemsWaiting, formatNumber(jobs.items_waiting)],
    [t.backlog, formatNumber(webhooks.backlog)],
    [t.waitingMails, formatNumber(mails.waiting)],
    [t.activeStores, formatNumber(stores.active)],
    [t.suspendedStores, formatNumber(stores.suspended + stores.deletion_planned)],
  ]
  return (
    <>
      <ul class="doctor" aria-label={t.readiness}>
        {Object.entries(checks).map(([name, { ok, reason, warning }]) => (
          <Check
            key={name}
            name={name}
            state={!ok ? 'error' : warning ? 'warning' : 'ok'}
            text={reason ?? warning ?? ''}
            cure={null}
          />
        ))}
      </ul>
      <dl class="sizes">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

const HOUR_S = 3600

function describeTime(seconds: number): string {
  const hours = Math.floor(seconds / HOUR_S)
  if (hours >= 48) return t.days(formatNumber(Math.floor(hours / 24)))
  if (hours >= 1) return t.hours(formatNumber(hours))
  return t.minutes(formatNumber(Math.floor(seconds / 60)))
}
