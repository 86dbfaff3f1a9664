import type { AdminSettings } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Copied } from '../../parts/copy.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { quote } from './command.ts'
import { t } from './texts/texts.ts'

const findFolder = ({ settings }: AdminSettings): string =>
  String(settings.find(({ name }) => name === 'DATA_DIR')?.value ?? '')

/** What there is today: a copy at the command line. The rest is promised nowhere. */
export function Tab() {
  const [settings] = useLoad((signal) => call('GET /v1/admin/settings', { signal }), [])
  const folder = (settings.state === 'there' && findFolder(settings.value)) || '/var/lib/lookalike'
  return (
    <div class="prose">
      <h1>{t.tabs.backups}</h1>
      <p>{t.backupsNotYet}</p>
      <h2>{t.backupsToday}</h2>
      <p>{t.backupsHow}</p>
      <Copied text="systemctl stop lookalike" />
      <Copied text={`tar -czf lookalike-backup.tar.gz --exclude=unpacked -C ${quote(folder)} .`} />
      <Copied text="systemctl start lookalike" />
      <p>{t.backupsWhole}</p>
      <p>
        <a href="/docs/guide/operating#back-up-and-restore" target="_blank" rel="noopener">
          {t.backupsGuide}
        </a>
      </p>
    </div>
  )
}
