import { useState } from 'preact/hooks'
import { Copy } from '../../parts/copy.tsx'
import { type Plan, planSearch, type StoreFacts, toText } from './plan.ts'
import type { Question, Settings, Source } from './question.ts'

/** One call in the words of no language. */
interface DescribedCall {
  method: 'GET' | 'POST'
  address: string
  /** Sent as JSON; null for a form with the photo, and for GET. */
  body: Record<string, unknown> | null
  /** Fields of a form beside the photo. */
  form: readonly (readonly [string, string])[] | null
}

const LIMIT = 20

/** A photo of the browser has no address: whoever copies the code has a file or an address of their own. */
const refer = (source: Source): Record<string, unknown> => {
  switch (source.kind) {
    case 'product':
      return { product_id: source.id }
    case 'address':
      return { image_url: source.url }
    case 'file':
      return { image_url: 'https://shop.example/photo.jpg' }
  }
}

function describe(plan: Plan): DescribedCall {
  const body = { ...plan.body, limit: LIMIT }
  const [method = '', path = ''] = plan.name.split(' ')
  const address = location.origin + path
  const texts = Object.entries(body).map(([name, value]) => [name, toText(value)] as const)
  switch (plan.name) {
    case 'GET /v1/products/{product_id}/similar': {
      const filled = address.replace('{product_id}', encodeURIComponent(plan.id))
      const query = new URLSearchParams(texts.map(([name, value]) => [name, value]))
      return { method: 'GET', address: `${filled}?${query}`, body: null, form: null }
    }
    case 'POST /v1/search':
      return { method: 'POST', address, body: null, form: texts }
    default:
      return { method: method as 'POST', address, body, form: null }
  }
}

/** Writes a text in single quotes, as a shell, a script and PHP read it. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function writeCurl({ address, body, form }: DescribedCall): string {
  const parts = [`curl ${quoteForShell(address)}`, `-H "Authorization: Bearer $TOKEN"`]
  if (body) parts.push(`-H 'Content-Type: application/json' -d ${quoteForShell(JSON.stringify(body))}`)
  if (form)
    parts.push(
      '-F image=@photo.jpg',
      ...form.map(([name, value]) => `-F ${quoteForShell(`${name}=${value}`)}`),
    )
  return parts.join(' \\\n  ')
}

function writeScript({ method, address, body, form }: DescribedCall): string {
  const lines = form
    ? [
        'const form = new FormData()',
        "form.set('image', photo)",
        ...form.map(([name, value]) => `form.set(${quote(name)}, ${quote(value)})`),
      ]
    : []
  const headers = `authorization: \`Bearer \${token}\`${body ? ", 'content-type': 'application/json'" : ''}`
  lines.push(`const response = await fetch(${quote(address)}, {`)
  if (method === 'POST') lines.push("  method: 'POST',")
  lines.push(`  headers: { ${headers} },`)
  if (body) lines.push(`  body: JSON.stringify(${JSON.stringify(body)}),`)
  if (form) lines.push('  body: form,')
  return [...lines, '})', 'const { results } = await response.json()'].join('\n')
}

function writePhp({ method, address, body, form }: DescribedCall): string {
  const fields = (form ?? []).map(([name, value]) => `${quote(name)} => ${quote(value)}`)
  return [
    `$curl = curl_init(${quote(address)});`,
    'curl_setopt_array($curl, [',
    ...(method === 'POST' ? ['  CURLOPT_POST => true,'] : []),
    '  CURLOPT_RETURNTRANSFER => true,',
    `  CURLOPT_HTTPHEADER => ["Authorization: Bearer $token"${body ? ", 'Content-Type: application/json'" : ''}],`,
    ...(body ? [`  CURLOPT_POSTFIELDS => ${quote(JSON.stringify(body))},`] : []),
    ...(form
      ? [`  CURLOPT_POSTFIELDS => [${["'image' => new CURLFile('photo.jpg')", ...fields].join(', ')}],`]
      : []),
    ']);',
    "$results = json_decode(curl_exec($curl), true)['results'];",
  ].join('\n')
}

const WRITERS: Readonly<Record<string, (call: DescribedCall) => string>> = {
  curl: writeCurl,
  JavaScript: writeScript,
  PHP: writePhp,
}

/** The search of the page as code that asks the same. */
export function CallCode({
  question,
  settings,
  facts,
}: {
  question: Question
  settings: Settings
  facts: StoreFacts
}) {
  const [language, setLanguage] = useState('curl')
  const plan = planSearch(question, settings, facts, refer)
  if (!plan) return null
  if (settings.threshold > 0) plan.body['threshold'] = settings.threshold
  const code = WRITERS[language]?.(describe(plan)) ?? ''
  return (
    <div class="code">
      <p class="actions">
        {Object.keys(WRITERS).map((name) => (
          <button
            key={name}
            type="button"
            class="plain"
            aria-pressed={name === language}
            onClick={() => setLanguage(name)}
          >
            {name}
          </button>
        ))}
        <Copy text={code} />
      </p>
      <pre>
        <code>{code}</code>
      </pre>
    </div>
  )
}
