import { useEffect } from 'preact/hooks'
import { call } from '../api/client.ts'
import { lastFailure } from '../api/offline.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/panel.tsx'
import { useLoad } from '../parts/use-load.ts'
import { useSending } from '../parts/use-sending.ts'
import { t } from '../texts/texts.ts'
import { drawGuide, findSection, readGuide } from './guide-section.tsx'
import type { StorePage } from './routes.ts'

const GUIDE = '/docs/guide/portal'

/** Opens the help when somebody types a question mark outside a field. */
export function useHelpKey(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return
      if ((event.target as Element).closest('input, textarea, select, dialog')) return
      event.preventDefault()
      open()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

/** The section of the guide about a page, beside it. It comes from this service, so it is there without the internet. */
export function Help({ page, onClose }: { page: StorePage; onClose(): void }) {
  const [guide, retry] = useLoad((signal) => readGuide(GUIDE, signal), [])
  return (
    <Dialog class="help" label={t.help} onClose={onClose}>
      <button type="button" class="close" onClick={onClose} aria-label={t.close}>
        ×
      </button>
      {guide.state === 'loading' && <p class="waiting">{t.loading}</p>}
      {guide.state === 'failed' && <Failure error={guide.error} onRetry={retry} />}
      {guide.state === 'there' && (
        <div class="guide" lang="en">
          {drawGuide(findSection(guide.value, page), GUIDE)}
        </div>
      )}
      <p>
        <a href="/docs/guide" target="_blank" rel="noopener">
          {t.wholeGuide}
        </a>
      </p>
      <p class="muted">{t.keysHint}</p>
      <Report page={page} />
    </Dialog>
  )
}

/** Makes a text file for whoever helps. It names the page and the last failed call, and holds nothing of the store. */
function Report({ page }: { page: StorePage }) {
  const { isBusy, error, run } = useSending()

  async function save() {
    const { version, schema } = await call('GET /version')
    const failure = lastFailure.get()
    const lines = [
      `Lookalike ${version}, schema ${schema}`,
      `Page: ${page}`,
      `Time: ${new Date().toISOString()}`,
      `Browser: ${navigator.userAgent}`,
      `Window: ${window.innerWidth} × ${window.innerHeight}`,
      failure
        ? `Last failed call: ${failure.code} (${failure.status}), request ${failure.requestId ?? '-'}`
        : 'No call has failed.',
    ]
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'text/plain' }))
    link.download = 'lookalike-report.txt'
    link.click()
    URL.revokeObjectURL(link.href)
  }

  return (
    <section class="report">
      <h3>{t.report}</h3>
      <p class="muted">{t.reportHint}</p>
      {error && <Failure error={error} />}
      <button type="button" disabled={isBusy} onClick={() => run(save)}>
        {t.saveReport}
      </button>
    </section>
  )
}
