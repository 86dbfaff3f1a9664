import { useState } from 'preact/hooks'
import type { AdminStore } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import type { Sentence } from '../../notices/describe.ts'
import { describeNotice } from '../../notices/sentence.ts'
import { Field } from '../../parts/field.tsx'
import type { Column } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { address, addressOf, addressOfTab, go } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { NewStore } from './new-store.tsx'
import { OpenAs } from './open-as.tsx'
import { PagedTable } from './paged-table.tsx'
import { StateChoice } from './state-choice.tsx'
import { hrefOfStore } from './store-address.ts'
import { StoreDrawer } from './store-drawer.tsx'
import { describeProducts, LastFeed } from './store-facts.tsx'
import { t } from './texts/texts.ts'
import { useTyped } from './use-typed.ts'

type Status = AdminStore['status']
const STATUSES = ['', 'active', 'suspended', 'deletion_planned'] as const

/** The first trouble of each store that has one. */
async function loadTroubles(signal: AbortSignal): Promise<ReadonlyMap<string, Sentence>> {
  const { attention } = await call('GET /v1/admin/overview', { signal })
  return new Map(attention.toReversed().map((notice) => [notice.store.id, describeNotice(notice)]))
}

export function Tab() {
  const opened = new URLSearchParams(useSignal(address).split('?')[1]).get('store')
  const { typed, setTyped, asked } = useTyped()
  const [status, setStatus] = useState<(typeof STATUSES)[number]>('')
  const [round, setRound] = useState(0)
  const [isMaking, setMaking] = useState(false)
  const [troubles] = useLoad(loadTroubles, [round])
  const reload = () => setRound((n) => n + 1)
  return (
    <>
      <div class="heading">
        <h1>{t.tabs.stores}</h1>
        <button type="button" class="primary" onClick={() => setMaking(true)}>
          {t.newStore}
        </button>
      </div>
      <div class="filters">
        <Field label={t.findStore} type="search" value={typed} onValue={setTyped} maxLength={200} />
        <StateChoice value={status} states={STATUSES} names={t.statuses} onValue={setStatus} />
      </div>
      <PagedTable<AdminStore>
        label={t.tabs.stores}
        columns={columnsWith(troubles.state === 'there' ? troubles.value : new Map())}
        question={JSON.stringify([asked, status, round])}
        load={async (cursor, signal) => {
          const { stores, next_cursor } = await call('GET /v1/admin/stores', {
            query: {
              q: asked,
              ...(status && { status: status as Status }),
              ...(cursor !== null && { cursor }),
            },
            signal,
          })
          return { items: stores, next: next_cursor }
        }}
        keyOf={({ id }) => id}
        empty={<p class="empty">{t.noStoreFits}</p>}
      />
      {isMaking && (
        <NewStore
          onClose={() => {
            setMaking(false)
            reload()
          }}
        />
      )}
      {opened !== null && (
        <StoreDrawer key={opened} id={opened} onClose={() => go(addressOfTab('stores'))} onChange={reload} />
      )}
    </>
  )
}

const columnsWith = (troubles: ReadonlyMap<string, Sentence>): readonly Column<AdminStore>[] => [
  {
    label: t.store,
    draw: ({ id, slug, name }) => (
      <>
        <a class="name" href={hrefOfStore(id)} dir="auto">
          {name}
        </a>
        <span class="muted">{slug}</span>
      </>
    ),
  },
  { label: t.plan, draw: ({ plan }) => plan },
  { label: t.products, draw: describeProducts, isNumber: true },
  { label: t.searchesToday, draw: ({ searches_today }) => formatNumber(searches_today), isNumber: true },
  { label: t.lastFeed, draw: LastFeed },
  {
    label: t.problem,
    draw: ({ id, status }) => {
      const { text, isEnglish } = troubles.get(id) ?? {
        text: status === 'active' ? '–' : '',
        isEnglish: false,
      }
      return (
        <>
          {status !== 'active' && <span class="state problem">{t.statuses[status]} </span>}
          <span class="trouble" lang={isEnglish ? 'en' : undefined} title={text}>
            {text}
          </span>
        </>
      )
    },
  },
  {
    label: t.openAs,
    draw: ({ id, name, slug }) => <OpenAs id={id} name={name} address={addressOf(slug, 'overview')} />,
    isActions: true,
  },
]
