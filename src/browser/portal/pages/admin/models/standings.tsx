import type { SearchCheckStanding } from '#generated/api.ts'
import { call } from '../../../api/client.ts'
import { formatNumber } from '../../../language.ts'
import { Panel } from '../../../parts/panel.tsx'
import { PagedTable } from '../paged-table.tsx'
import { hrefOfStore } from '../store-address.ts'
import { t } from './texts/texts.ts'

/** How the saved checks of each store stand now, and stood with the model before. @param round changes when a store has moved. */
export const Standings = ({ round }: { round: string }) => (
  <Panel class="block">
    <h2>{t.checks}</h2>
    <p class="muted">{t.checksHint}</p>
    <PagedTable<SearchCheckStanding>
      label={t.checks}
      columns={COLUMNS}
      question={round}
      load={async (cursor, signal) => {
        const query = cursor === null ? {} : { cursor }
        const { stores, next_cursor } = await call('GET /v1/admin/models/checks', { query, signal })
        return { items: stores, next: next_cursor }
      }}
      keyOf={({ store }) => store.id}
      empty={<p class="muted">{t.noChecks}</p>}
    />
  </Panel>
)

const pass = (passed: number, total: number): string => t.pass(formatNumber(passed), formatNumber(total))

function Change({ standing: { passed, before, is_waiting } }: { standing: SearchCheckStanding }) {
  if (is_waiting) return <span class="muted">{t.runsNow}</span>
  if (!before) return <span class="muted">–</span>
  const more = passed - before.passed
  if (more === 0) return <>{t.same}</>
  if (more > 0) return <span class="better">▲ {t.better(formatNumber(more))}</span>
  return <span class="worse">▼ {t.worse(formatNumber(-more))}</span>
}

const COLUMNS = [
  {
    label: t.store,
    draw: ({ store }: SearchCheckStanding) => (
      <a dir="auto" href={hrefOfStore(store.id)}>
        {store.name}
      </a>
    ),
  },
  {
    label: t.checksNow,
    draw: ({ model, passed, total }: SearchCheckStanding) =>
      model === null ? (
        <span class="muted">{t.notRun}</span>
      ) : (
        <div>
          {pass(passed, total)} <span class="muted">{model}</span>
        </div>
      ),
  },
  {
    label: t.checksBefore,
    draw: ({ before }: SearchCheckStanding) =>
      before ? (
        <div>
          {pass(before.passed, before.total)} <span class="muted">{before.model}</span>
        </div>
      ) : (
        <span class="muted">–</span>
      ),
  },
  { label: t.checksChange, draw: (standing: SearchCheckStanding) => <Change standing={standing} /> },
]
