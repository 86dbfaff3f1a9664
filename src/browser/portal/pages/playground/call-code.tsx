import { useState } from 'preact/hooks'
import type { Question, View } from './playground-page.tsx'
import { t } from './texts/texts.ts'

/** One call in the words of no language. */
interface DescribedCall {
  path: string
  /** Sent as JSON; null for a form with the photo. */
  body: Record<string, unknown> | null
}

function describe({ words, picture, product }: Question, view: View): DescribedCall {
  const common = { limit: 20, cutoff: view === 'shoppers' ? 'auto' : 'none' }
  if (picture && words)
    return { path: '/v1/search/hybrid', body: { query: words, image_url: 'https://…/photo.jpg', ...common } }
  if (picture) return { path: '/v1/search', body: null }
  if (words) return { path: '/v1/search/text', body: { query: words, ...common } }
  return { path: '/v1/search/filtered', body: { product_id: product, ...common } }
}

/** Writes a text in single quotes, as a shell and PHP read it. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const quoteForPhp = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const WRITERS: Readonly<Record<string, (call: DescribedCall) => string>> = {
  curl: ({ path, body }) =>
    [
      `curl ${location.origin}${path}`,
      `-H "Authorization: Bearer $TOKEN"`,
      body
        ? `-H 'Content-Type: application/json' -d ${quoteForShell(JSON.stringify(body))}`
        : '-F image=@photo.jpg -F limit=20',
    ].join(' \\\n  '),
  JavaScript: ({ path, body }) =>
    [
      body ? '' : "const form = new FormData()\nform.set('image', photo)\n",
      `const response = await fetch('${location.origin}${path}', {\n  method: 'POST',\n`,
      `  headers: { authorization: \`Bearer \${token}\`${body ? ", 'content-type': 'application/json'" : ''} },\n`,
      `  body: ${body ? `JSON.stringify(${JSON.stringify(body)})` : 'form'},\n})\n`,
      'const { results } = await response.json()',
    ].join(''),
  PHP: ({ path, body }) =>
    [
      `$curl = curl_init(${quoteForPhp(location.origin + path)});`,
      'curl_setopt_array($curl, [',
      '  CURLOPT_POST => true,',
      '  CURLOPT_RETURNTRANSFER => true,',
      `  CURLOPT_HTTPHEADER => ["Authorization: Bearer $token"${body ? ", 'Content-Type: application/json'" : ''}],`,
      `  CURLOPT_POSTFIELDS => ${body ? quoteForPhp(JSON.stringify(body)) : "['image' => new CURLFile('photo.jpg'), 'limit' => 20]"},`,
      ']);',
      "$results = json_decode(curl_exec($curl), true)['results'];",
    ].join('\n'),
}

/** The search of the page as code that asks the same. */
export function CallCode({ question, view }: { question: Question; view: View }) {
  const [language, setLanguage] = useState('curl')
  const [isCopied, setCopied] = useState(false)
  const code = WRITERS[language]?.(describe(question, view)) ?? ''

  async function copy() {
    // Without https browsers give no clipboard; the code can still be selected.
    await navigator.clipboard?.writeText(code).then(
      () => setCopied(true),
      () => {},
    )
  }

  return (
    <details class="code">
      <summary>{t.code}</summary>
      <p class="actions">
        {Object.keys(WRITERS).map((name) => (
          <button
            key={name}
            type="button"
            class="plain"
            aria-pressed={name === language}
            onClick={() => {
              setLanguage(name)
              setCopied(false)
            }}
          >
            {name}
          </button>
        ))}
        <button type="button" onClick={copy}>
          {isCopied ? t.copied : t.copy}
        </button>
      </p>
      <pre>
        <code>{code}</code>
      </pre>
    </details>
  )
}
