import type { AdminModels, ModelMove } from '#generated/api.ts'
import { call } from '../../../api/client.ts'
import { formatMoment, formatNumber } from '../../../language.ts'
import { Moment } from '../../../parts/moment.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { addressOf } from '../../../shell/routes.ts'
import { commandOf } from '../command.ts'
import { Asked } from './asked.tsx'
import { t } from './texts/texts.ts'
import { formatDuration } from './words.ts'

interface MoveProps {
  move: ModelMove
  refresh(): void
}

/** A move that was cancelled takes the stores that had moved back. */
const describe = (kind: ModelMove['kind'], from: string, to: string, isReturning: boolean): string =>
  isReturning ? t.moving.back(to, from) : t.moving[kind](from, to)

/** The move that runs, or how the last one ended. */
export function Move({ move, refresh }: MoveProps) {
  const { kind, from, to, state, is_returning, problem, finished_at } = move
  return (
    <Panel class="block stack">
      <h2>{state === 'running' ? describe(kind, from, to, is_returning) : t.lastMove}</h2>
      {/* Told when it changes; the figures, which change all the time, stand outside. */}
      <p role="status">
        {state !== 'running' && (
          <>
            {t.moveEnds[state](to)} {finished_at && <Moment at={finished_at} />}
          </>
        )}
      </p>
      {state === 'running' && <Progress move={move} />}
      {problem && (
        <p class="note">
          {t.moveWaits} <span lang="en">{problem}</span>
        </p>
      )}
      <Failures move={move} />
      {state === 'running' && !is_returning && (
        <p class="actions">
          <Asked
            label={t.cancelMove}
            question={t.cancelSure}
            action={t.cancelMove}
            otherwise={t.goOn}
            command={commandOf('model', ['cancel'])}
            run={() => call('POST /v1/admin/models/cancel')}
            refresh={refresh}
          >
            <p>{t.cancelHappens}</p>
          </Asked>
        </p>
      )}
    </Panel>
  )
}

function Progress({ move }: { move: ModelMove }) {
  const { stores, stores_done, products, products_done, eta_seconds } = move
  const parts = [
    t.storesDone(formatNumber(stores_done), formatNumber(stores)),
    t.productsDone(formatNumber(products_done), formatNumber(products)),
    eta_seconds !== null && t.timeLeft(formatDuration(eta_seconds)),
  ]
  return (
    <p class="job">
      <progress value={products_done} max={Math.max(1, products)} aria-label={t.progress} />
      <span>{stores === 0 ? t.moveStarts : parts.filter(Boolean).join(' · ')}</span>
    </p>
  )
}

/** The products whose pictures could not be had again, each as the way to it. */
function Failures({ move: { failed, failures } }: Pick<MoveProps, 'move'>) {
  if (failed === 0) return null
  const further = failed - failures.length
  return (
    <details class="twin">
      <summary>{t.failed(formatNumber(failed))}</summary>
      <p class="muted">{t.failedHint}</p>
      <ul>
        {failures.map(({ store, product_id, code }) => (
          <li key={`${store} ${product_id}`}>
            <a dir="auto" href={`${addressOf(store, 'products')}?product=${encodeURIComponent(product_id)}`}>
              {product_id}
            </a>{' '}
            <span class="muted">
              {store} · <code>{code}</code>
            </span>
          </li>
        ))}
        {further > 0 && <li class="muted">{t.furtherFailed(formatNumber(further))}</li>}
      </ul>
    </details>
  )
}

interface FormerProps {
  former: NonNullable<AdminModels['former']>
  inUse: string
  refresh(): void
}

/** The model before, as long as there is a quick way back to it. */
export const Former = ({ former: { name, until }, inUse, refresh }: FormerProps) => (
  <Panel class="block stack">
    <h2>{t.former}</h2>
    <p>{t.formerUntil(name, formatMoment(until))}</p>
    <p class="actions">
      <Asked
        label={t.confirm(inUse)}
        question={t.confirmSure(inUse)}
        action={t.confirm(inUse)}
        command={commandOf('model', ['confirm'])}
        run={() => call('POST /v1/admin/models/confirm')}
        refresh={refresh}
      >
        <p>{t.confirmHappens(name)}</p>
      </Asked>
      <Asked
        label={t.back(name)}
        kind="primary"
        question={t.backSure(name)}
        action={t.back(name)}
        command={commandOf('model', ['use'], { back: true })}
        run={() => call('POST /v1/admin/models/back')}
        refresh={refresh}
      >
        <p>{t.backHappens}</p>
      </Asked>
    </p>
  </Panel>
)
