import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Signal, signal } from '../../signal.ts'
import { t } from './texts/texts.ts'

/** What is chosen in the list, and what waits to be deleted. Tiles follow it one by one: the list is not drawn again. */
export interface Selection {
  chosen: Signal<ReadonlySet<string>>
  leaving: Signal<ReadonlySet<string>>
}

export const NONE: ReadonlySet<string> = new Set()

export const createSelection = (): Selection => ({ chosen: signal(NONE), leaving: signal(NONE) })

/** Follows whether a set holds an id, and draws again only when that changes. */
function useHas(source: Signal<ReadonlySet<string>>, id: string): boolean {
  const [has, setHas] = useState(source.get().has(id))
  useEffect(() => {
    const follow = () => setHas(source.get().has(id))
    follow()
    return source.listen(follow)
  }, [source, id])
  return has
}

/** A product of the list with its box to choose it. */
export function Choosable({
  id,
  name,
  selection: { chosen, leaving },
  children,
}: {
  id: string
  name: string
  selection: Selection
  children: ComponentChildren
}) {
  const isChosen = useHas(chosen, id)
  const isLeaving = useHas(leaving, id)
  function choose(isOn: boolean) {
    const next = new Set(chosen.get())
    if (isOn) next.add(id)
    else next.delete(id)
    chosen.set(next)
  }
  return (
    <div class={isLeaving ? 'choosable leaving' : 'choosable'}>
      {children}
      <label class="choose">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={isLeaving}
          onChange={({ currentTarget }) => choose(currentTarget.checked)}
        />
        <span class="unseen">{t.choose(name)}</span>
      </label>
    </div>
  )
}
