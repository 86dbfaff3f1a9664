import { useState } from 'preact/hooks'
import type { AdminSettings } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t as shell } from '../../texts/texts.ts'
import { Command } from './act.tsx'
import { commandOf } from './command.ts'
import { t } from './texts/texts.ts'

type Setting = AdminSettings['settings'][number]

/** Every setting as it runs, and where it comes from. They are read once, when the service starts. */
export function Tab() {
  const [loaded, retry] = useLoad((signal) => call('GET /v1/admin/settings', { signal }), [])
  const [words, setWords] = useState('')
  const fits = ({ name }: Setting) => name.includes(words.trim().toUpperCase().replaceAll(/[\s-]/g, '_'))
  const shown = loaded.state === 'there' ? loaded.value.settings.filter(fits) : []
  return (
    <>
      <div class="heading">
        <h1>{t.tabs.settings}</h1>
      </div>
      <p class="muted settings-hint">{t.settingsHint}</p>
      <Command line={commandOf('settings list')} />
      <div class="filters">
        <Field label={t.findSetting} type="search" value={words} onValue={setWords} />
      </div>
      {loaded.state === 'loading' && <p class="waiting">{shell.loading}</p>}
      {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={retry} />}
      {loaded.state === 'there' &&
        (shown.length === 0 ? (
          <p class="empty">{t.noSettingFits}</p>
        ) : (
          <Table label={t.tabs.settings} columns={COLUMNS} rows={shown} keyOf={({ name }) => name} />
        ))}
    </>
  )
}

const COLUMNS: readonly Column<Setting>[] = [
  { label: t.setting, draw: ({ name }) => <code>{name}</code> },
  {
    label: t.value,
    draw: ({ value }) =>
      value === null ? (
        <span class="muted">{t.secretSet}</span>
      ) : value === '' ? (
        <span class="muted">{t.notSet}</span>
      ) : (
        <code>{String(value)}</code>
      ),
  },
  {
    label: t.source,
    draw: ({ source }) => <span class={source === 'default' ? 'muted' : undefined}>{t.sources[source]}</span>,
  },
]
