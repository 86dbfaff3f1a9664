import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { type Look, writePreviewOptions } from './snippet.ts'
import { t } from './texts/texts.ts'

/** Width of the page in the frame at each kind of screen. */
const WIDTHS = { phone: 360, desktop: 1280 } as const
type Screen = keyof typeof WIDTHS

interface PreviewStepProps {
  keyId: string | null
  look: Look
  maySearch: boolean
}

/** The widget as a shopper sees it, with the products of the store. */
export function PreviewStep({ keyId, look, maySearch }: PreviewStepProps) {
  const [screen, setScreen] = useState<Screen>('phone')
  return (
    <>
      <h2>{t.preview}</h2>
      {keyId === null ? (
        <p class="muted">{t.previewNeedsKey}</p>
      ) : !maySearch ? (
        <p class="muted">{t.previewNoSearch}</p>
      ) : (
        <>
          <p class="actions">
            {(['phone', 'desktop'] as const).map((name) => (
              <button key={name} type="button" aria-pressed={name === screen} onClick={() => setScreen(name)}>
                {t[name]}
              </button>
            ))}
          </p>
          <Preview key={keyId} keyId={keyId} look={look} screen={screen} />
        </>
      )}
    </>
  )
}

function Preview({ keyId, look, screen }: { keyId: string; look: Look; screen: Screen }) {
  const [preview, renew] = useLoad(
    (signal) => call('POST /v1/security/public-keys/{id}/preview', { path: { id: keyId }, signal }),
    [keyId],
  )
  const box = useRef<HTMLDivElement>(null)
  const [scale, setScale] = useState(1)
  useEffect(() => {
    if (!box.current) return
    const watched = new ResizeObserver(([entry]) => {
      if (entry) setScale(Math.min(1, entry.contentRect.width / WIDTHS[screen]))
    })
    watched.observe(box.current)
    return () => watched.disconnect()
  }, [screen])
  if (preview.state === 'failed') return <Failure error={preview.error} onRetry={renew} />
  const src = preview.state === 'there' ? preview.value.url + writePreviewOptions(look) : null
  return (
    <>
      <div ref={box} class={`device ${screen}`}>
        {src !== null && (
          // The page in the frame reads its options once.
          <iframe
            key={src}
            src={src}
            title={t.previewTitle}
            style={{ width: `${WIDTHS[screen]}px`, height: `${100 / scale}%`, transform: `scale(${scale})` }}
          />
        )}
      </div>
      <p class="muted">
        {t.previewHint}{' '}
        <button type="button" class="link" onClick={renew}>
          {t.reload}
        </button>
      </p>
    </>
  )
}
