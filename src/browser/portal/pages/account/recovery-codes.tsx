import { useEffect, useRef } from 'preact/hooks'
import { formatMoment } from '../../language.ts'
import { Copy } from '../../parts/copy.tsx'
import { t } from './texts/texts.ts'

/** New recovery codes, which are shown once: to print, or to copy. On paper they stand alone, with what they are for. */
export function RecoveryCodes({
  codes,
  email,
  onKept,
}: {
  codes: readonly string[]
  email: string
  onKept(): void
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div class="codes">
      <div class="code-sheet">
        <h3 ref={heading} tabIndex={-1}>
          {t.codes}
        </h3>
        <p>{t.codesHint}</p>
        <p class="muted">
          {location.host} · {email} · {formatMoment(new Date().toISOString())}
        </p>
        <ul>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      </div>
      <p class="actions">
        <button type="button" class="primary" onClick={() => window.print()}>
          {t.codesPrint}
        </button>
        <Copy text={codes.join('\n')} />
        <button type="button" class="link" onClick={onKept}>
          {t.codesKept}
        </button>
      </p>
    </div>
  )
}
