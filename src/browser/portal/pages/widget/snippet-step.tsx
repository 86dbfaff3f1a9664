import type { WidgetKey } from '#generated/api.ts'
import { Copy } from '../../parts/copy.tsx'
import { download } from '../../parts/download.ts'
import { type Look, writeColours, writePolicy, writeSnippet } from './snippet.ts'
import type { System } from './systems.ts'
import { t } from './texts/texts.ts'

interface SnippetStepProps {
  shown: WidgetKey
  look: Look
  system: System
  src: string
}

/** A line to take along, in full. */
const Line = ({ text }: { text: string }) => (
  <pre class="snippet">
    <code>{text}</code>
  </pre>
)

/** The sixth step: the line, what a strict policy needs, and a mail for whoever builds the shop. */
export function SnippetStep({ shown: { key, origins }, look, system, src }: SnippetStepProps) {
  if (key === null) return <h2>{t.snippet}</h2>
  const service = new URL(src).origin
  const snippet = writeSnippet(src, key, look)
  const policy = writePolicy(service)
  const mail = {
    subject: t.mailSubject,
    body:
      t.mailBody(system === 'other' ? '' : ` (${t.systems[system]})`, snippet, policy) +
      `${service}/docs/guide/widget`,
  }
  const mailto = Object.entries(mail)
    .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
    .join('&')

  async function saveFile() {
    const { writePhpFile } = await import('./php-file.ts')
    download('lookalike.php', 'application/x-php', writePhpFile(service, key ?? ''))
  }

  return (
    <>
      <h2>{t.snippet}</h2>
      <p class="where">{t.where[system]}</p>
      {system === 'woocommerce' && (
        <p class="actions">
          <button type="button" onClick={saveFile}>
            {t.download}
          </button>
          <span class="muted">{t.downloadHint}</span>
        </p>
      )}
      <p>{t.snippetHint(origins.map((origin) => new URL(origin).host).join(', '))}</p>
      <Line text={snippet} />
      <p class="actions">
        <Copy text={snippet} label={t.copySnippet} class="primary" />
        <a class="button" href={`mailto:?${mailto}`}>
          {t.send}
        </a>
      </p>
      {look.accent && (
        <>
          <p>{t.css}</p>
          <Line text={writeColours(look.accent)} />
          <Copy text={writeColours(look.accent)} label={t.copyCss} />
        </>
      )}
      <p>{t.policy}</p>
      <Line text={policy} />
      <p class="actions">
        <Copy text={policy} label={t.copyPolicy} />
        <a href="/docs/guide/widget" target="_blank" rel="noopener">
          {t.guide}
        </a>
      </p>
    </>
  )
}
