import type { Member } from '#generated/api.ts'
import { Moment } from '../../parts/moment.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { Credential } from './credentials.ts'
import { t } from './texts/texts.ts'

export const nameOf = ({ kind, name }: Credential): string => (kind === 'secret' ? t.secret : name)

/** Who made it, if that is known and still somebody. */
function describeMaker({ maker, createdBy }: Credential, members: readonly Member[]): string {
  if (maker === 'machine') return t.byMachine
  if (maker === 'former_member') return t.byFormer
  return members.find(({ id }) => id === createdBy)?.full_name ?? '–'
}

const describeScopes = ({ kind, scopes }: Credential): string =>
  kind === 'secret'
    ? t.mayAll
    : kind === 'widget_key'
      ? t.maySearch
      : scopes.map((one) => t.scopes[one] ?? one).join(', ')

/** What stops when it ends. */
function describeLoss({ kind, origins, scopes, effective, addresses, lastUsedAt }: Credential): string {
  if (kind === 'widget_key') return t.breaks.widget(origins.join(', '))
  if (kind === 'secret') return addresses > 0 ? t.machines(addresses) : t.breaks.secret
  if (scopes.length > 0 && effective.length === 0) return t.breaks.dead
  return lastUsedAt ? t.breaks.key : t.breaks.unused
}

/** All credentials of the store in one table. */
export function CredentialTable({
  rows,
  members,
  store,
  onOpen,
}: {
  rows: readonly Credential[]
  members: readonly Member[]
  store: string
  onOpen(credential: Credential): void
}) {
  const columns: Column<Credential>[] = [
    {
      label: t.name,
      draw: (one) => (
        <>
          <strong dir="auto">{nameOf(one)}</strong>
          <br />
          <span class="muted">{t.kinds[one.kind]}</span> <code class="muted">{one.hint}</code>
        </>
      ),
    },
    { label: t.may, draw: describeScopes },
    { label: t.madeBy, draw: (one) => <span dir="auto">{describeMaker(one, members)}</span> },
    {
      label: t.lastUsed,
      draw: ({ lastUsedAt, lastUsedFrom }) =>
        lastUsedAt ? (
          <>
            <Moment at={lastUsedAt} />
            {lastUsedFrom && <span class="muted"> {t.from(lastUsedFrom)}</span>}
          </>
        ) : (
          <span class="muted">{t.never}</span>
        ),
    },
    {
      label: t.ends,
      draw: ({ endsAt }) => (endsAt ? <Moment at={endsAt} /> : <span class="muted">{t.never}</span>),
    },
    { label: t.ifItEnds, draw: describeLoss },
    {
      label: t.actions,
      isActions: true,
      draw: (one) => (
        <span class="actions">
          <button
            type="button"
            class="link"
            aria-label={t.showNamed(nameOf(one))}
            onClick={() => onOpen(one)}
          >
            {t.show}
          </button>
          {one.kind === 'widget_key' && (
            <a
              href={`/${store}/portal/widget?key=${encodeURIComponent(one.id)}`}
              aria-label={t.widgetPageNamed(one.name)}
            >
              {t.widgetPage}
            </a>
          )}
        </span>
      ),
    },
  ]
  return <Table label={t.heading} columns={columns} rows={rows} keyOf={({ kind, id }) => `${kind} ${id}`} />
}
