import { useEffect, useState } from 'preact/hooks'
import type { Backup, BackupList } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Copy } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Act } from './act.tsx'
import { formatBytes } from './amounts.ts'
import { commandOf } from './command.ts'
import { PagedTable } from './paged-table.tsx'
import { t } from './texts/texts.ts'

/** How often a running backup is looked at. */
const LOOK_MS = 1_000

type Facts = Pick<BackupList, 'schedule' | 'copies' | 'last_good_at' | 'warning'>

export function Tab() {
  const [facts, setFacts] = useState<Facts | null>(null)
  const [running, setRunning] = useState<Backup | null>(null)
  const [ended, setEnded] = useState<Backup | null>(null)
  const [round, setRound] = useState(0)

  useEffect(() => {
    if (!running) return
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      const { id } = running
      const { signal } = stop
      // A look that fails is taken again.
      const now = await call('GET /v1/admin/backups/{id}', { path: { id }, signal }).catch(() => running)
      if (signal.aborted) return
      // A new object, so that the next look follows.
      setRunning(now.state === 'running' ? { ...now } : null)
      if (now.state === 'running') return
      setEnded(now)
      setRound((n) => n + 1)
    }, LOOK_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [running])

  return (
    <>
      <div class="heading">
        <h1>{t.tabs.backups}</h1>
      </div>
      <Panel class="block">
        {facts?.warning && (
          <p class="severity" data-severity="warning">
            {t.backupsWarning}
          </p>
        )}
        {facts?.copies?.warning && (
          <p class="severity" data-severity="warning">
            {facts.copies.has_key ? t.copiesFailed : t.copiesWithoutKey}
          </p>
        )}
        <p class="muted">{t.backupsHint}</p>
        {facts && <Schedule facts={facts} />}
        <Act
          label={t.backUp}
          kind="primary"
          isBlocked={running !== null}
          command={commandOf('backup')}
          run={async () => {
            setEnded(null)
            setRunning(await call('POST /v1/admin/backups'))
            return null
          }}
        />
        {running && <Progress backup={running} />}
        <div role="status">
          {ended && (ended.error ? <p lang="en">{ended.error}</p> : <p>{t.backupDone}</p>)}
        </div>
      </Panel>
      <Panel class="block">
        <PagedTable<Backup>
          label={t.tabs.backups}
          columns={COLUMNS}
          question={String(round)}
          load={async (cursor, signal) => {
            const query = cursor === null ? {} : { cursor }
            const list = await call('GET /v1/admin/backups', { query, signal })
            setFacts(list)
            const found = list.backups.find(({ state }) => state === 'running')
            if (found && cursor === null) setRunning(found)
            return { items: list.backups, next: list.next_cursor }
          }}
          keyOf={({ id }) => id}
          empty={<p class="muted">{t.noBackups}</p>}
        />
      </Panel>
      <Panel class="block">
        <h2>{t.restore}</h2>
        <p>{t.restoreHint}</p>
        <p>
          <a href="/docs/guide/operating#back-up-and-restore" target="_blank" rel="noopener">
            {t.backupsGuide}
          </a>
        </p>
      </Panel>
    </>
  )
}

function Schedule({ facts: { schedule, copies, last_good_at } }: { facts: Facts }) {
  const { every_hours, keep, folder, next_at } = schedule
  return (
    <>
      <p>
        {every_hours === 0 ? t.backupsNever : t.backupsEvery(formatNumber(every_hours), formatNumber(keep))}
      </p>
      <dl class="facts">
        <dt>{t.lastBackup}</dt>
        <dd>{last_good_at ? <Moment at={last_good_at} /> : t.noLastBackup}</dd>
        {next_at && (
          <>
            <dt>{t.nextBackup}</dt>
            <dd>
              <Moment at={next_at} />
            </dd>
          </>
        )}
        <dt>{t.backupsFolder}</dt>
        <dd>
          <code>{folder}</code>
        </dd>
        {copies && (
          <>
            <dt>{t.copiesTo}</dt>
            <dd>
              <code>{copies.to}</code>
            </dd>
            <dt>{t.lastCopy}</dt>
            <dd>{copies.last_at ? <Moment at={copies.last_at} /> : t.noLastBackup}</dd>
          </>
        )}
      </dl>
    </>
  )
}

function Progress({ backup: { step, progress } }: { backup: Backup }) {
  const label = t.backupSteps[step ?? 'copying']
  return (
    <p class="job" role="status">
      <span>{label}</span>
      <progress value={progress} max={1} aria-label={label} />
    </p>
  )
}

const nameOf = (path: string): string => path.slice(path.search(/[^/\\]*$/))

/** The file that lies here, or else its copy. */
function restoreCommandOf({ file, is_there, copy }: Backup): string | null {
  if (is_there) return commandOf('restore', [file])
  return copy?.address ? commandOf('restore', [copy.address], { 'key-file': 'key.txt' }) : null
}

const COLUMNS = [
  {
    label: t.backupMade,
    draw: ({ made_at, started_at, started_by }: Backup) => (
      <>
        <Moment at={made_at ?? started_at} /> <span class="muted">{t.backupStarters[started_by]}</span>
      </>
    ),
  },
  {
    label: t.backupState,
    draw: ({ state, error, counts, has_secrets }: Backup) => (
      <div>
        {t.backupStates[state]} {error && <span lang="en">{error}</span>}
        {counts && (
          <span class="muted">
            {t.backupHolds(formatNumber(counts['stores'] ?? 0), formatNumber(counts['products'] ?? 0))}
          </span>
        )}{' '}
        {!has_secrets && <span class="muted">{t.backupWithoutKeys}</span>}
      </div>
    ),
  },
  {
    label: t.backupSize,
    isNumber: true,
    draw: ({ bytes }: Backup) => (bytes === null ? '–' : formatBytes(bytes)),
  },
  {
    label: t.backupFile,
    draw: ({ file, state, is_there }: Backup) =>
      state === 'completed' && !is_there ? t.backupGone : <code title={file}>{nameOf(file)}</code>,
  },
  {
    label: t.backupCopy,
    draw: ({ copy }: Backup) =>
      copy && (
        <div>
          <span title={copy.address ?? undefined}>{t.copyStates[copy.state]}</span>{' '}
          {copy.error && <span lang="en">{copy.error}</span>}
        </div>
      ),
  },
  {
    label: t.copyRestore,
    isActions: true,
    draw: (backup: Backup) => {
      const command = restoreCommandOf(backup)
      return command && <Copy class="link" text={command} label={t.copyRestore} />
    },
  },
]
