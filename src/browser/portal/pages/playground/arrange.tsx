import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Hit, SearchResponse, SearchRule } from '#generated/api.ts'
import { call, readVersion, type Versioned } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Failure } from '../../parts/panel.tsx'
import { ProductTile, readShown } from '../../parts/product-tile.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { useSending } from '../../parts/use-sending.ts'
import { type Arrangement, entryOf, hide, isRuleFor, mergeActions, moveTo, release } from './arrangement.ts'
import type { Settings } from './question.ts'
import { listShown } from './results.tsx'
import { t } from './texts/texts.ts'
import { useMoves } from './use-moves.ts'

/** So many results can be put in order: nobody moves one over more places by hand. */
const SHOWN = 48
const RULES_MAX = 500
const NAME_CHARS = 100

interface ArrangeProps {
  words: string
  answer: SearchResponse
  settings: Settings
  onSaved(): void
  onCancel(): void
}

/** Finds the rule that decides about these words alone; null if there is none yet. */
async function findRule(words: string, signal: AbortSignal): Promise<Versioned<SearchRule> | null> {
  const entry = entryOf(words)
  const { rules } = await call('GET /v1/store/rules', { query: { limit: RULES_MAX }, signal })
  const rule = rules.find((one) => isRuleFor(one, entry))
  return rule ? readVersion('GET /v1/store/rules/{id}', { path: { id: rule.id }, signal }) : null
}

/** The results of some words, to be dragged to other places or hidden, and saved as a rule for these words. */
export function Arrange(props: ArrangeProps) {
  const found = useLoad(async (signal) => ({ rule: await findRule(props.words, signal) }), [props.words])
  return <Show of={found}>{({ rule }) => <Arranging {...props} rule={rule} />}</Show>
}

function startFrom(hits: readonly Hit[], rule: SearchRule | undefined): Arrangement {
  const order = hits.map(({ product_id }) => product_id)
  const pins = new Set(rule?.active ? rule.then.flatMap(({ product_id }) => product_id ?? []) : [])
  return { order, pinned: new Set(order.filter((id) => pins.has(id))), hidden: new Set() }
}

function Arranging({
  words,
  answer,
  settings,
  rule,
  onSaved,
  onCancel,
}: ArrangeProps & { rule: Versioned<SearchRule> | null }) {
  const [hits] = useState(() => listShown(answer, settings).slice(0, SHOWN))
  const [first] = useState(() => startFrom(hits, rule?.value))
  const [arrangement, setArrangement] = useState(first)
  const { isBusy, error, run } = useSending()
  const byId = new Map(hits.map((hit) => [hit.product_id, hit]))

  async function save() {
    const then = mergeActions(rule?.value.then ?? [], arrangement, first.order)
    if (rule && then.length === 0) {
      await call('DELETE /v1/store/rules/{id}', { path: { id: rule.value.id } })
    } else if (rule) {
      const body = { ...rule.value, active: true, then }
      const path = { id: rule.value.id }
      await call('PUT /v1/store/rules/{id}', { path, body, ifMatch: rule.version })
    } else {
      const body = { name: words.slice(0, NAME_CHARS), when: { words: [entryOf(words)] }, then }
      await call('POST /v1/store/rules', { body })
    }
    onSaved()
  }

  return (
    <div class="arrange">
      <p class="told muted">{t.arrangeHint(words)}</p>
      <p class="actions">
        <button
          type="button"
          class="primary"
          disabled={isBusy || arrangement === first}
          onClick={() => run(save)}
        >
          {t.saveRule}
        </button>
        <button type="button" disabled={isBusy} onClick={onCancel}>
          {t.arrangeEnd}
        </button>
        {arrangement.hidden.size > 0 && (
          <button type="button" class="link" onClick={() => setArrangement(first)}>
            {t.arrangeAnew(formatNumber(arrangement.hidden.size))}
          </button>
        )}
      </p>
      {error && <Failure error={error} />}
      <Places {...{ byId, arrangement }} onChange={setArrangement} />
    </div>
  )
}

type Act = 'up' | 'down' | 'pin' | 'hide'

/** The results at their places, each with what the pointer does as buttons, too. */
function Places({
  byId,
  arrangement,
  onChange,
}: {
  byId: ReadonlyMap<string, Hit>
  arrangement: Arrangement
  onChange(arrangement: Arrangement): void
}) {
  const { order, pinned } = arrangement
  const list = useRef<HTMLOListElement>(null)
  const dragged = useRef<string | null>(null)
  const pressed = useRef<{ id: string; act: Act } | null>(null)
  const [told, setTold] = useState('')
  useMoves(list, order.join(' '))
  // A moved element loses the keyboard: it goes on with the same button.
  useLayoutEffect(() => {
    if (!pressed.current) return
    const { id, act } = pressed.current
    pressed.current = null
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] [data-act="${act}"]`)?.focus()
  }, [arrangement])

  function move(id: string, to: number, name: string) {
    onChange(moveTo(arrangement, id, to))
    setTold(t.nowAt(name, formatNumber(to + 1)))
  }

  return (
    <>
      <p role="status" class="unseen">
        {told}
      </p>
      <ol class="grid" ref={list} aria-label={t.arrange}>
        {order.map((id, n) => {
          const hit = byId.get(id)
          if (!hit) return null
          const { name } = readShown(id, hit.metadata)
          const isPinned = pinned.has(id)
          const act = (which: Act, work: () => void) => () => {
            pressed.current = { id, act: which }
            work()
          }
          return (
            <li
              key={id}
              data-id={id}
              draggable
              class={isPinned ? 'pinned' : undefined}
              onDragStart={({ dataTransfer }) => {
                dragged.current = id
                dataTransfer?.clearData()
                dataTransfer?.setData('text/plain', name)
              }}
              onDragEnd={() => {
                dragged.current = null
              }}
              onDragOver={(event) => dragged.current !== null && event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault()
                const moved = dragged.current
                if (moved !== null && moved !== id)
                  move(moved, n, readShown(moved, byId.get(moved)?.metadata ?? {}).name)
              }}
            >
              <ProductTile id={id} src={hit.thumbnail_url} metadata={hit.metadata}>
                <span class="state muted">
                  {isPinned ? t.pinnedAt(formatNumber(n + 1)) : t.place(formatNumber(n + 1))}
                </span>
              </ProductTile>
              <p class="place-buttons">
                <button
                  type="button"
                  data-act="up"
                  aria-label={t.moveUp(name)}
                  aria-disabled={n === 0}
                  onClick={act('up', () => n > 0 && move(id, n - 1, name))}
                >
                  ←
                </button>
                <button
                  type="button"
                  data-act="down"
                  aria-label={t.moveDown(name)}
                  aria-disabled={n === order.length - 1}
                  onClick={act('down', () => n < order.length - 1 && move(id, n + 1, name))}
                >
                  →
                </button>
                <button
                  type="button"
                  data-act="pin"
                  aria-pressed={isPinned}
                  aria-label={t.pinHere(name)}
                  onClick={act('pin', () =>
                    onChange(isPinned ? release(arrangement, id) : moveTo(arrangement, id, n)),
                  )}
                >
                  {t.pin}
                </button>
                <button
                  type="button"
                  data-act="hide"
                  aria-label={t.hideOne(name)}
                  onClick={() => {
                    // The keyboard goes on with the result that takes the place.
                    pressed.current = { id: order[n + 1] ?? order[n - 1] ?? '', act: 'hide' }
                    onChange(hide(arrangement, id))
                    setTold(t.isHidden(name))
                  }}
                >
                  {t.hide}
                </button>
              </p>
            </li>
          )
        })}
      </ol>
    </>
  )
}
