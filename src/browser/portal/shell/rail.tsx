import { useEffect, useState } from 'preact/hooks'
import type { Me } from '#generated/api.ts'
import { Check } from '../parts/check.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useSignal } from '../signal.ts'
import { t } from '../texts/texts.ts'
import { chooseForDevelopers, developersChoice, showsDevelopers } from './developers.ts'
import { addressOf, placeOf, type StorePage } from './routes.ts'

/** The entries in their order: what one looks at, what one builds with, whose store it is. A phone has room for the first group. */
const GROUPS: readonly (readonly StorePage[])[] = [
  ['overview', 'products', 'playground', 'analytics'],
  ['merchandising', 'widget', 'keys', 'webhooks'],
  ['team', 'plan', 'settings'],
]

/** Entries that merchants have no use for. */
const FOR_DEVELOPERS: readonly StorePage[] = ['keys', 'webhooks']

interface RailProps {
  store: string
  page: StorePage
  me: Me
  onHelp(): void
}

/** The pages of a store: a column, or on a phone a bar with a sheet for the rest. */
export function Rail({ store, page, me, onHelp }: RailProps) {
  const [isOpen, setOpen] = useState(false)
  const showsAll = showsDevelopers(useSignal(developersChoice), me)
  // Another page was chosen in the sheet.
  useEffect(() => setOpen(false), [page])
  const groups = GROUPS.map((names) =>
    names.filter((name) => showsAll || !FOR_DEVELOPERS.includes(name)),
  ).filter((names) => names.length > 0)
  const current = placeOf(page)
  const link = (name: StorePage, isNarrow: boolean) => (
    <a
      key={name}
      href={addressOf(store, name)}
      aria-current={name === page ? 'page' : name === current ? 'true' : undefined}
      class={isNarrow ? undefined : 'in-sheet'}
    >
      {t.pages[name]}
    </a>
  )
  return (
    <>
      <nav class="rail" aria-label={t.places}>
        {groups.map((names) => (
          <div key={names[0]} class="places">
            {names.map((name) => link(name, names === groups[0]))}
          </div>
        ))}
        <button type="button" class="narrow" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          {t.morePages}
        </button>
      </nav>
      {isOpen && (
        <Dialog class="sheet" label={t.places} onClose={() => setOpen(false)}>
          <nav aria-label={t.places}>
            {groups.map((names) => (
              <div key={names[0]} class="places">
                {names.map((name) => link(name, true))}
              </div>
            ))}
          </nav>
          <ForDevelopers me={me} />
          <p class="actions">
            <button
              type="button"
              onClick={() => {
                setOpen(false)
                onHelp()
              }}
            >
              {t.help}
            </button>
            <button type="button" onClick={() => setOpen(false)}>
              {t.close}
            </button>
          </p>
        </Dialog>
      )}
    </>
  )
}

/** Switches the pages for developers on and off, for this browser. */
export const ForDevelopers = ({ me }: { me: Me }) => (
  <Check checked={showsDevelopers(useSignal(developersChoice), me)} onChange={chooseForDevelopers}>
    {t.forDevelopers}
  </Check>
)
