import type { AdminModel, AdminModels } from '#generated/api.ts'
import { call } from '../../../api/client.ts'
import { formatNumber } from '../../../language.ts'
import { Copied } from '../../../parts/copy.tsx'
import { useAction } from '../../../parts/use-action.ts'
import { formatBytes } from '../amounts.ts'
import { commandOf } from '../command.ts'
import { estimateMove } from './amounts.ts'
import { Asked, Refused } from './asked.tsx'
import { t } from './texts/texts.ts'
import { formatDuration, formatLanguages } from './words.ts'

interface CardProps {
  model: AdminModel
  all: AdminModels
  refresh(): void
}

/** A model: what it is, what it costs, and what can be done with it. */
export function ModelCard({ model, all, refresh }: CardProps) {
  const { name, state, status, suits, problem, is_bundled } = model
  const isRisky = state === 'broken' || status === 'unconfirmed'
  return (
    <li class="model" data-state={state}>
      <h3>{name}</h3>
      <p class="muted">
        <span class="state" data-state={isRisky ? 'doubtful' : state}>
          {state === 'known' && status ? t.statuses[status] : t.states[state]}
        </span>
        {is_bundled && ` · ${t.bundled}`}
      </p>
      {problem && <p lang="en">{problem}</p>}
      {suits && <p lang={t.suits[name] ? undefined : 'en'}>{t.suits[name] ?? suits}</p>}
      <Facts model={model} />
      <Deeds {...{ model, all, refresh }} />
    </li>
  )
}

function Facts({ model }: Pick<CardProps, 'model'>) {
  const { license, languages, bytes, memory_bytes, picture_ms, text_ms, dimension, family } = model
  const speed =
    picture_ms === null || text_ms === null
      ? t.notMeasured
      : t.speedOf(formatNumber(round(picture_ms)), formatNumber(round(text_ms)))
  const lines: [label: string, value: string | null][] = [
    [t.license, license],
    [t.languages, languages && languages.length > 0 ? formatLanguages(languages) : null],
    [t.size, bytes === null ? null : formatBytes(bytes)],
    [t.memory, memory_bytes === null ? t.notMeasured : formatBytes(memory_bytes)],
    [t.speed, speed],
    [t.dimension, dimension === null ? null : [formatNumber(dimension), family].filter(Boolean).join(' · ')],
  ]
  return (
    <dl class="facts">
      {lines.map(
        ([label, value]) =>
          value !== null && (
            <>
              <dt key={label}>{label}</dt>
              <dd>{value}</dd>
            </>
          ),
      )}
    </dl>
  )
}

/** With one digit behind the point where it says something. */
const round = (ms: number): number => (ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))

function Deeds({ model, all, refresh }: CardProps) {
  const { name, state, status, is_bundled } = model
  const isUnconfirmed = status === 'unconfirmed'
  if (state === 'known' && (isUnconfirmed || all.is_offline))
    return (
      <>
        <p class="muted">{all.is_offline ? t.filesAtCommandLine : t.fetchAtCommandLine}</p>
        <Copied text={commandOf('model', ['fetch', name], isUnconfirmed ? { trust: true } : {})} />
      </>
    )
  if (state === 'known') return <Fetch {...{ model, all, refresh }} />
  const isNeeded = state === 'in_use' || name === all.former?.name || isMovingTo(all, name)
  const canUse = state === 'here' && !all.model_dir_set
  const canRemove = !is_bundled && !isNeeded
  if (!canUse && !canRemove) return null
  return (
    <p class="actions">
      {canUse && <Use {...{ model, all, refresh }} />}
      {canRemove && <Remove {...{ model, refresh }} />}
    </p>
  )
}

const isMovingTo = ({ move }: AdminModels, name: string): boolean =>
  move?.state === 'running' && (move.to === name || move.from === name)

function Fetch({ model: { name, bytes }, all, refresh }: CardProps) {
  const fetching = useAction(() => call('POST /v1/admin/models/fetch', { body: { name } }).finally(refresh))
  const label = t.fetch(bytes === null ? '?' : formatBytes(bytes))
  return (
    <>
      <p class="actions">
        <button
          type="button"
          aria-label={`${label}: ${name}`}
          disabled={fetching.isBusy || all.fetch?.state === 'running'}
          onClick={fetching.run}
        >
          {label}
        </button>
      </p>
      {fetching.error && <Refused error={fetching.error} />}
    </>
  )
}

const Use = ({ model, all, refresh }: CardProps) => (
  <Asked
    label={t.use}
    about={model.name}
    class="primary"
    kind="primary"
    isBlocked={all.move?.state === 'running'}
    question={t.useSure(model.name)}
    action={t.useNow(model.name)}
    command={commandOf('model', ['use', model.name])}
    run={() => call('POST /v1/admin/models/use', { body: { name: model.name } })}
    refresh={refresh}
  >
    <p>{t.useHappens}</p>
    <p>{t.useBack}</p>
    <p>{t.useChecks}</p>
    <Cost model={model} pictures={all.pictures} />
    <p class="muted">{t.useChecked}</p>
  </Asked>
)

function Cost({ model, pictures }: { model: AdminModel; pictures: number }) {
  const { seconds, diskBytes, memoryBytes } = estimateMove(model, pictures)
  return (
    <dl class="facts">
      <dt>{t.useTime}</dt>
      <dd>
        {seconds === null ? t.useTimeUnknown : t.useTimeOf(formatDuration(seconds), formatNumber(pictures))}
      </dd>
      {diskBytes !== null && (
        <>
          <dt>{t.useDisk}</dt>
          <dd>{formatBytes(diskBytes)}</dd>
        </>
      )}
      {memoryBytes !== null && (
        <>
          <dt>{t.useMemory}</dt>
          <dd>{t.useMemoryOf(formatBytes(memoryBytes))}</dd>
        </>
      )}
    </dl>
  )
}

const Remove = ({ model: { name, bytes }, refresh }: Omit<CardProps, 'all'>) => (
  <Asked
    label={t.remove}
    about={name}
    class="link danger"
    question={t.removeSure(name)}
    action={t.remove}
    command={commandOf('model', ['remove', name])}
    run={() => call('DELETE /v1/admin/models/{name}', { path: { name } })}
    refresh={refresh}
  >
    <p>{t.removeHappens(bytes === null ? '?' : formatBytes(bytes))}</p>
  </Asked>
)
