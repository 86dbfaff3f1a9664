import { useEffect, useState } from 'preact/hooks'
import type { AdminStore, Me } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { signOut } from '../../api/session.ts'
import { formatAgo, formatNumber } from '../../language.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { loadMe } from '../../shell/me.ts'
import { addressOf, addressOfTab } from '../../shell/routes.ts'
import { t } from './texts/texts.ts'

/** From this many on the stores can be filtered. */
const FILTERED_FROM = 8

interface Card {
  slug: string
  name: string
  isSuspended: boolean
  about: (string | false | null)[]
}

const ownCard = ({
  slug,
  name,
  role,
  plan,
  last_used_at,
  suspended_at,
}: Me['memberships'][number]): Card => ({
  slug,
  name,
  isSuspended: suspended_at !== null,
  about: [t.roles[role], plan, last_used_at !== null && t.lastUsed(formatAgo(last_used_at))],
})

const adminCard = ({ slug, name, plan, products, status }: AdminStore): Card => ({
  slug,
  name,
  isSuspended: status === 'suspended',
  about: [plan, t.products(formatNumber(products))],
})

/** Reads the person's stores and, for the operator, the others. */
async function loadStores(words: string): Promise<{ me: Me; own: Card[]; others: Card[] }> {
  const me = await loadMe(null)
  const own = [...me.memberships]
    .sort((a, b) => (b.last_used_at ?? '').localeCompare(a.last_used_at ?? ''))
    .map(ownCard)
  if (!me.user?.is_super_admin) return { me, own, others: [] }
  const { stores } = await call('GET /v1/admin/stores', { query: { q: words, limit: 50 } })
  const isOwn = new Set(own.map(({ slug }) => slug))
  return { me, own, others: stores.filter(({ slug }) => !isOwn.has(slug)).map(adminCard) }
}

export function Page() {
  const [words, setWords] = useState('')
  const [asked, setAsked] = useState('')
  const [loaded, retry] = useLoad(() => loadStores(asked), [asked])
  const [last, setLast] = useState<Awaited<ReturnType<typeof loadStores>> | null>(null)
  useEffect(() => {
    document.title = `${t.heading} · Lookalike`
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words.trim()), 250)
    return () => clearTimeout(timer)
  }, [words])
  useEffect(() => {
    if (loaded.state === 'there') setLast(loaded.value)
  }, [loaded])
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  if (!last) return null
  const { me, own, others } = last
  const fits = ({ name, slug }: Card) => `${name} ${slug}`.toLowerCase().includes(words.trim().toLowerCase())
  const shown = own.filter(fits)
  const isOperator = me.user?.is_super_admin === true
  const isEmpty = shown.length + others.filter(fits).length === 0
  return (
    <>
      {isOperator && (
        <p class="operator-bar">
          <strong>{t.operator}</strong> <a href={addressOfTab('today')}>{t.operatorPages}</a>
        </p>
      )}
      <h1>{t.heading}</h1>
      {(own.length + others.length >= FILTERED_FROM || words !== '') && (
        <Field label={t.filter} value={words} onValue={setWords} type="search" />
      )}
      {isEmpty && <p>{words === '' ? t.none : t.noneFits}</p>}
      <Cards label={isOperator ? t.yours : t.heading} cards={shown} />
      {others.length > 0 && (
        <>
          <h2>{t.all}</h2>
          <Cards label={t.all} cards={others.filter(fits)} />
        </>
      )}
      <p>
        <button type="button" class="link" onClick={() => signOut()}>
          {t.signOut}
        </button>
      </p>
    </>
  )
}

const Cards = ({ label, cards }: { label: string; cards: readonly Card[] }) => (
  <ul class="stores" aria-label={label}>
    {cards.map(({ slug, name, isSuspended, about }) => (
      <li key={slug}>
        <a href={addressOf(slug, 'overview')}>
          <Picture src={null} name={name} kind={slug} />
          <span>
            <strong dir="auto">{name}</strong>
            <span class="muted">{about.filter(Boolean).join(' · ')}</span>
          </span>
          {isSuspended && <span class="state problem">{t.suspended}</span>}
        </a>
      </li>
    ))}
  </ul>
)
