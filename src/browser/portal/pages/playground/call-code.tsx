import { useState } from 'preact/hooks'
import { Copy } from '../../parts/copy.tsx'
import { type Plan, planSearch, type StoreFacts, toText } from './plan.ts'
import type { Question, Settings, Source } from './question.ts'
import { type DescribedCall, WRITERS } from './write-call.ts'

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
