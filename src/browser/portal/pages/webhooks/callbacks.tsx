import { useState } from 'preact/hooks'
import type { SigningSecret } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { Rotation } from './rotation.tsx'
import { t } from './texts/texts.ts'

/** The secret that signs what jobs send to their `callback_url`. Only its end can be read; a new one is shown once. */
export function Callbacks({ onSecret }: { onSecret(secret: SigningSecret): void }) {
  const settings = useLoad((signal) => call('GET /v1/store/settings', { signal }), [])
  const [, reload] = settings
  const [isAsked, setAsked] = useState(false)
  return (
    <div class="form">
      <h2>{t.callbacks}</h2>
      <p class="muted">{t.callbacksHint}</p>
      <Show of={settings}>
        {({ callback_secret_hint }) => (
          <p class="actions">
            <span>
              {callback_secret_hint === null ? t.noCallbackSecret : t.callbackSecret(callback_secret_hint)}
            </span>
            <button type="button" onClick={() => setAsked(true)}>
              {t.rotate}
            </button>
          </p>
        )}
      </Show>
      {isAsked && (
        <Rotation
          question={t.rotateCallbackSure}
          rotate={(grace_seconds) =>
            call('POST /v1/store/callback-secret/rotate', { body: { grace_seconds } })
          }
          onSecret={(secret) => {
            setAsked(false)
            onSecret(secret)
            reload()
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  )
}
