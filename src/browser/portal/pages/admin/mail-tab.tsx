import { useState } from 'preact/hooks'
import type { AdminDeliveryList, AdminJobList, WaitingMailList } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t as shell } from '../../texts/texts.ts'
import { Act, Command } from './act.tsx'
import { commandOf } from './command.ts'
import { PagedTable } from './paged-table.tsx'
import { StateChoice } from './state-choice.tsx'
import { StoreLink } from './store-link.tsx'
import { t } from './texts/texts.ts'

type Mail = WaitingMailList['mails'][number]
type Delivery = AdminDeliveryList['deliveries'][number]
type Job = AdminJobList['jobs'][number]

export const Tab = () => (
  <>
    <div class="heading">
      <h1>{t.tabs.mail}</h1>
    </div>
    <Panel class="block">
      <h2>{t.waitingMails}</h2>
      <Mails />
    </Panel>
    <Panel class="block">
      <h2>{t.deliveries}</h2>
      <Deliveries />
    </Panel>
    <Panel class="block">
      <h2>{t.jobs}</h2>
      <Jobs />
    </Panel>
  </>
)

/** Mails that could not be sent. Where no mail ever leaves, their links are handed over by hand. */
function Mails() {
  const [round, setRound] = useState(0)
  const [read, setRead] = useState<string | null>(null)
  const [isConfigured, setConfigured] = useState(true)
  return (
    <>
      <p class="muted">{isConfigured ? t.waitingMailsHint : t.noMailServer}</p>
      <PagedTable<Mail>
        label={t.waitingMails}
        columns={[
          { label: t.recipient, draw: ({ recipient }) => recipient },
          { label: t.subject, draw: ({ subject }) => <span dir="auto">{subject}</span> },
          { label: t.written, draw: ({ created_at }) => <Moment at={created_at} /> },
          {
            label: t.lastError,
            draw: ({ attempts, last_error }) => (
              <>
                {t.attempts(formatNumber(attempts))} <span lang="en">{last_error}</span>
              </>
            ),
          },
          {
            label: t.retryMail,
            isActions: true,
            draw: ({ id, recipient }) => (
              <div class="mail-deeds">
                <button
                  type="button"
                  class="link"
                  aria-label={`${t.readMail}: ${recipient}`}
                  onClick={() => setRead(id)}
                >
                  {t.readMail}
                </button>
                <Act
                  label={t.retryMail}
                  run={async () => {
                    const { status } = await call('POST /v1/admin/outbox/{id}/resend', { path: { id } })
                    setRound((n) => n + 1)
                    return t.mailStates[status]
                  }}
                />
              </div>
            ),
          },
        ]}
        question={String(round)}
        load={async (cursor, signal) => {
          const { mails, next_cursor, is_configured } = await call('GET /v1/admin/outbox', {
            query: cursor === null ? {} : { cursor },
            signal,
          })
          setConfigured(is_configured)
          return { items: mails, next: next_cursor }
        }}
        keyOf={({ id }) => id}
        empty={<p class="muted">{t.noMails}</p>}
      />
      <Command line={commandOf('outbox')} />
      {read !== null && <MailText id={read} onClose={() => setRead(null)} />}
    </>
  )
}

function MailText({ id, onClose }: { id: string; onClose(): void }) {
  const [loaded, retry] = useLoad(
    (signal) => call('GET /v1/admin/outbox/{id}', { path: { id }, signal }),
    [id],
  )
  return (
    <Dialog class="asked" label={t.readMail} onClose={onClose}>
      {loaded.state === 'loading' && <p class="waiting">{shell.loading}</p>}
      {loaded.state === 'failed' &&
        (loaded.error.status === 404 ? (
          <p>{t.mailGone}</p>
        ) : (
          <Failure error={loaded.error} onRetry={retry} />
        ))}
      {loaded.state === 'there' && (
        <div class="acts">
          <h2 dir="auto">{loaded.value.subject}</h2>
          <p class="muted">{t.mailTo(loaded.value.recipient)}</p>
          {loaded.value.link && <Copied text={loaded.value.link} label={t.copyLink} />}
          <pre class="mail">{loaded.value.text ?? t.mailSealed}</pre>
        </div>
      )}
      <p class="actions">
        <button type="button" onClick={onClose}>
          {t.close}
        </button>
      </p>
    </Dialog>
  )
}

const DELIVERY_STATES = ['failed', 'pending', ''] as const

function Deliveries() {
  const [state, setState] = useState<(typeof DELIVERY_STATES)[number]>('failed')
  return (
    <>
      <div class="filters">
        <StateChoice value={state} states={DELIVERY_STATES} names={t.deliveryStates} onValue={setState} />
      </div>
      <PagedTable<Delivery>
        label={t.deliveries}
        columns={[
          { label: t.store, draw: StoreLink },
          { label: t.event, draw: ({ event }) => <code>{event}</code> },
          {
            label: t.state,
            draw: ({ state }) => (
              <span class={state === 'failed' ? 'state problem' : 'state'}>{t.deliveryStates[state]}</span>
            ),
          },
          {
            label: t.lastError,
            draw: ({ attempts, last_status, last_error }) => (
              <>
                {t.attempts(formatNumber(attempts))} {last_status} <span lang="en">{last_error}</span>
              </>
            ),
          },
          { label: t.written, draw: ({ created_at }) => <Moment at={created_at} /> },
        ]}
        question={state}
        load={async (cursor, signal) => {
          const { deliveries, next_cursor } = await call('GET /v1/admin/deliveries', {
            query: { ...(state && { state }), ...(cursor !== null && { cursor }) },
            signal,
          })
          return { items: deliveries, next: next_cursor }
        }}
        keyOf={({ id }) => id}
        empty={<p class="muted">{t.noDeliveries}</p>}
      />
    </>
  )
}

const JOB_STATUSES = ['', 'processing', 'failed', 'completed', 'cancelled'] as const

function Jobs() {
  const [status, setStatus] = useState<(typeof JOB_STATUSES)[number]>('')
  return (
    <>
      <div class="filters">
        <StateChoice value={status} states={JOB_STATUSES} names={t.jobStates} onValue={setStatus} />
      </div>
      <PagedTable<Job>
        label={t.jobs}
        columns={[
          { label: t.store, draw: StoreLink },
          { label: t.job, draw: ({ type }) => t.jobTypes[type] },
          {
            label: t.state,
            draw: ({ status }) => (
              <span class={status === 'failed' ? 'state problem' : 'state'}>{t.jobStates[status]}</span>
            ),
          },
          {
            label: t.done,
            draw: ({ processed, total }) => t.countOf(formatNumber(processed), formatNumber(total)),
            isNumber: true,
          },
          { label: t.failedItems, draw: ({ failed }) => formatNumber(failed), isNumber: true },
          { label: t.begun, draw: ({ created_at }) => <Moment at={created_at} /> },
        ]}
        question={status}
        load={async (cursor, signal) => {
          const { jobs, next_cursor } = await call('GET /v1/admin/jobs', {
            query: { ...(status && { status }), ...(cursor !== null && { cursor }) },
            signal,
          })
          return { items: jobs, next: next_cursor }
        }}
        keyOf={({ job_id }) => job_id}
        empty={<p class="muted">{t.noJobs}</p>}
      />
    </>
  )
}
