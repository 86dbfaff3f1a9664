import { useId, useState } from 'preact/hooks'
import { Field } from '../../parts/field.tsx'
import { checkSignature, type Verdict } from './check-signature.ts'
import { t } from './texts/texts.ts'

/** A box for several lines. */
function Box({
  label,
  hint,
  value,
  onValue,
}: {
  label: string
  hint: string
  value: string
  onValue(value: string): void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={5}
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}

/** Tells whether a message is genuine, and if not, why. Nothing that is pasted leaves the browser. */
export function Checker() {
  const [body, setBody] = useState('')
  const [headers, setHeaders] = useState('')
  const [secret, setSecret] = useState('')
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  // Browsers compute signatures only where nobody can change the page on its way.
  if (!globalThis.crypto.subtle) return <p class="note">{t.needsHttps}</p>
  const change = (set: (value: string) => void) => (value: string) => {
    set(value)
    setVerdict(null)
  }
  return (
    <form
      class="form checker"
      onSubmit={async (event) => {
        event.preventDefault()
        setVerdict(await checkSignature({ body, headers, secret }))
      }}
    >
      <p class="muted">{t.checkerHint}</p>
      <Box label={t.body} hint={t.bodyHint} value={body} onValue={change(setBody)} />
      <Box label={t.headers} hint={t.headersHint} value={headers} onValue={change(setHeaders)} />
      <Field
        label={t.secret}
        value={secret}
        onValue={change(setSecret)}
        autocomplete="off"
        spellcheck={false}
        required
      />
      <p>
        <button type="submit" disabled={body === '' || headers === '' || secret === ''}>
          {t.check}
        </button>
      </p>
      <p role="status" class="genuine" data-valid={verdict?.isValid}>
        {verdict && (verdict.isValid ? t.valid(verdict.header) : t.invalid[verdict.reason])}
      </p>
    </form>
  )
}
