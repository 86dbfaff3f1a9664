import { useState } from 'preact/hooks'
import type { AdminHealth, NodeOverview } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { formatAgo, formatMoment, formatNumber } from '../../language.ts'
import { describeNotice } from '../../notices/sentence.ts'
import { Failure, Panel } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { addressOf, addressOfTab, readStorePage } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { OpenAs } from './open-as.tsx'
import { hrefOfStore } from './store-address.ts'
import { t } from './texts/texts.ts'

type Trouble = NodeOverview['attention'][number]

/** What is wrong anywhere, as one list, each line with a way to mend it. */
export function Tab() {
  const [overview, retry] = useLoad((signal) => call('GET /v1/admin/overview', { signal }), [])
  const [health] = useLoad((signal) => call('GET /v1/admin/health', { signal }), [])
  const [requests] = useLoad((signal) => call('GET /v1/admin/billing/requests', { signal }), [])
  if (overview.state === 'failed') return <Failure error={overview.error} onRetry={retry} />
  if (overview.state === 'loading') return <p class="waiting">{shell.loading}</p>
  const { attention, of_node, stores, stores_with_attention, made_at } = overview.value
  return (
    <>
      <div class="heading">
        <h1>{t.todayFact(formatNumber(stores_with_attention), formatNumber(stores))}</h1>
        {made_at && (
          <p class="muted" title={formatMoment(made_at)}>
            {t.looked(formatAgo(made_at))}
          </p>
        )}
      </div>
      <Panel>
        <ul class="troubles" aria-label={t.installation}>
          {health.state === 'there' && <OfInstallation health={health.value} />}
          {of_node.map((notice) => (
            <Line
              key={notice.kind}
              text={describeOfNode(notice)}
              {...{ href: addressOfTab('models'), fix: t.toModels, severity: notice.severity }}
            />
          ))}
          {requests.state === 'there' && requests.value.count > 0 && (
            <Line
              text={t.requestsWait(formatNumber(requests.value.count))}
              {...{ href: addressOfTab('billing'), fix: t.toRequests }}
            />
          )}
        </ul>
      </Panel>
      {attention.length === 0 ? (
        <div class="empty">
          <h2>{t.allWell}</h2>
          <p>{t.allWellHint}</p>
          <a class="button" href={addressOfTab('stores')}>
            {t.toStores}
          </a>
        </div>
      ) : (
        <ul class="troubles" aria-label={t.allStores}>
          {attention.map((one) => (
            <TroubleLine key={`${one.store.id} ${one.kind}`} trouble={one} />
          ))}
        </ul>
      )}
    </>
  )
}

/** What concerns no store: a part that is not ready, mails that do not leave. */
function OfInstallation({ health: { checks, mails } }: { health: AdminHealth }) {
  const broken = Object.entries(checks).filter(([, { ok }]) => !ok)
  return (
    <>
      {broken.map(([name, { reason }]) => (
        <Line
          key={name}
          text={`${name}: ${reason ?? t.notReady}`}
          {...{ href: addressOfTab('health'), fix: t.toHealth, isEnglish: true, severity: 'error' }}
        />
      ))}
      {mails.waiting > 0 && (
        <Line
          text={t.mailsWait(formatNumber(mails.waiting), mails.is_configured)}
          {...{ href: addressOfTab('mail'), fix: mails.is_configured ? t.retryMails : t.readMails }}
        />
      )}
    </>
  )
}

/** Says what concerns no store. Numbers and names come with the notice. */
function describeOfNode({ kind, data }: NodeOverview['of_node'][number]): string {
  if (kind === 'model_products_failed') return t.modelProductsFailed(formatNumber(Number(data['failed'])))
  return t.formerModelKept(String(data['in_use']), formatMoment(String(data['until'])))
}

interface LineProps {
  text: string
  href: string
  fix: string
  isEnglish?: boolean
  severity?: 'info' | 'warning' | 'error'
}

const Line = ({ text, href, fix, isEnglish = false, severity = 'warning' }: LineProps) => (
  <li>
    <Picture src={null} name="!" kind="installation" />
    <div>
      <strong>{t.installation}</strong>
      <p lang={isEnglish ? 'en' : undefined}>
        <Severity value={severity} /> {text}
      </p>
    </div>
    <p class="actions">
      <a class="button" href={href}>
        {fix}
      </a>
    </p>
  </li>
)

const Severity = ({ value }: { value: Trouble['severity'] }) => (
  <span class="state severity" data-severity={value}>
    {t.severities[value]}
  </span>
)

function TroubleLine({ trouble }: { trouble: Trouble }) {
  const { severity, since, page } = trouble
  const { id, slug, name } = trouble.store
  const { text, isEnglish } = describeNotice(trouble)
  const target = readStorePage(page) ?? 'overview'
  return (
    <li>
      <Picture src={null} name={name} kind={slug} />
      <div>
        <strong dir="auto">
          <a href={hrefOfStore(id)}>{name}</a>
        </strong>
        <p lang={isEnglish ? 'en' : undefined}>
          <Severity value={severity} /> {text}
        </p>
        {since && (
          <p class="muted" title={formatMoment(since)}>
            {t.since(formatAgo(since))}
          </p>
        )}
      </div>
      <div class="fixes">
        {page === 'plan' && (
          <a class="button" href={hrefOfStore(id)}>
            {t.raisePlan}
          </a>
        )}
        <OpenAs id={id} name={name} address={addressOf(slug, target)} />
        <WriteToOwner id={id} name={name} text={text} />
      </div>
    </li>
  )
}

/** Finds the owners when somebody wants to write, and leaves the writing to the mail program. */
function WriteToOwner({ id, name, text }: { id: string; name: string; text: string }) {
  const [owners, setOwners] = useState<string[] | CallError | null>(null)

  const find = () =>
    call('GET /v1/admin/stores/{id}', { path: { id } }).then(
      (store) => setOwners(store.owners),
      (thrown) => setOwners(toCallError(thrown)),
    )

  if (owners instanceof Error) return <Failure error={owners} onRetry={find} />
  if (!owners)
    return (
      <button type="button" class="link" aria-label={`${t.writeToOwner}: ${name}`} onClick={find}>
        {t.writeToOwner}
      </button>
    )
  if (owners.length === 0) return <p class="muted">{t.noOwner}</p>
  return (
    <ul role="status">
      {owners.map((address) => (
        <li key={address}>
          <a href={mailTo(address, name, text)}>{address}</a>
        </li>
      ))}
    </ul>
  )
}

const mailTo = (address: string, subject: string, body: string): string =>
  `mailto:${encodeURIComponent(address)}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`
