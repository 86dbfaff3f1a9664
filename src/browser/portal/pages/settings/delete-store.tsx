import { useState } from 'preact/hooks'
import type { DeletedStore } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import type { CallError } from '../../api/errors.ts'
import { formatMoment } from '../../language.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { me } from '../../shell/me.ts'
import { t } from './texts/texts.ts'

/** Deletes the store. The address of the store, the password and the second factor must be typed. */
export function DeleteStore({ slug, onClose }: { slug: string; onClose(): void }) {
  const [confirm, setConfirm] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [gone, setGone] = useState<DeletedStore | null>(null)
  const { isBusy, error, run } = useSending()
  const asksCode = me.get()?.user?.two_factor_enabled

  if (gone)
    return (
      <Dialog class="asked" label={t.deleted}>
        <div class="form">
          <h2>{t.deleted}</h2>
          <p>{t.deletedHint(formatMoment(gone.delete_at))}</p>
          <p>
            <a class="primary" href="/portal/select-store">
              {t.toStores}
            </a>
          </p>
        </div>
      </Dialog>
    )
  return (
    <Dialog class="asked" label={t.deleteStore} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(async () =>
            setGone(
              await call('DELETE /v1/store', {
                body: { confirm: confirm.trim(), password, ...(asksCode && { totp_code: code.trim() }) },
              }),
            ),
          )
        }}
      >
        <h2>{t.deleteStore}</h2>
        <p>{t.willBeGone}</p>
        <Field
          label={t.typeSlug(slug)}
          value={confirm}
          onValue={setConfirm}
          autocomplete="off"
          required
          takesFocus
        />
        <Field
          {...{ label: t.password, value: password, onValue: setPassword, type: 'password' }}
          autocomplete="current-password"
          required
        />
        {asksCode && (
          <Field
            {...{ label: t.code, value: code, onValue: setCode, inputMode: 'numeric' }}
            autocomplete="one-time-code"
            required
          />
        )}
        {error && <Refusal error={error} />}
        <p class="actions">
          <button type="submit" class="danger" disabled={isBusy || confirm.trim() !== slug}>
            {t.deleteNow}
          </button>
          <button type="button" onClick={onClose}>
            {t.keep}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

/** What the form checks itself is right by now, so a refused form has a wrong password or code. */
const WRONG_PROOF = ['validation_error', 'unauthorized', 'invalid_2fa']

const Refusal = ({ error }: { error: CallError }) =>
  WRONG_PROOF.includes(error.code) ? (
    <p class="wrong" role="alert">
      {t.wrongProof}
    </p>
  ) : (
    <Failure error={error} />
  )
