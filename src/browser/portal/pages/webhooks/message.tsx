import { Copy } from '../../parts/copy.tsx'
import { t } from './texts/texts.ts'

/** Shows JSON on several lines. Only for the eye: what is copied is what was signed. */
function lay(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** What was sent, or would be: headers and body. */
export const Message = ({
  headers,
  body,
}: {
  headers: Readonly<Record<string, string>>
  body: string | null
}) => (
  <div class="message">
    <pre>
      {Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')}
    </pre>
    {body === null ? (
      <p class="muted">{t.bodyGone}</p>
    ) : (
      <>
        <pre dir="auto">{lay(body)}</pre>
        <p class="actions">
          <Copy text={body} label={t.copyBody} class="link" />
          <Copy
            text={Object.entries(headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
            label={t.copyHeaders}
            class="link"
          />
        </p>
      </>
    )}
  </div>
)
