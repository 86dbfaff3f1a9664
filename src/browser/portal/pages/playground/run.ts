import type { SearchResponse } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { CallError } from '../../api/errors.ts'
import { type Plan, planSearch, type StoreFacts, toText } from './plan.ts'
import type { Question, Settings, Source } from './question.ts'

/** The most hits that an answer holds; the slider then works without another call. */
const LIMIT = 100

/** Never counted: a merchant who plays must not become the numbers. */
const ASKED = { limit: LIMIT, explain: true, analytics: false }

/** The ids of photos that the service still holds: none is sent and read twice. */
let known = new WeakMap<Blob, string>()

const nameSource = (source: Source): Record<string, unknown> => {
  switch (source.kind) {
    case 'address':
      return { image_url: source.url }
    case 'product':
      return { product_id: source.id }
    case 'file':
      return { image_id: known.get(source.blob) }
  }
}

async function upload(
  photo: Blob,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<SearchResponse> {
  const form = new FormData()
  form.set('image', photo, 'picture')
  for (const [name, value] of Object.entries(body)) form.set(name, toText(value))
  const answer = await call('POST /v1/search', { form, signal })
  if (answer.query_image) known.set(photo, answer.query_image.image_id)
  return answer
}

/** Sends the photos that a search names by their ids. */
async function identify({ pictures }: Question, signal: AbortSignal): Promise<void> {
  for (const { source } of pictures)
    if (source.kind === 'file' && !known.has(source.blob))
      await upload(source.blob, { limit: 1, analytics: false }, signal)
}

async function send(plan: Plan, signal: AbortSignal): Promise<SearchResponse> {
  const body = { ...plan.body, ...ASKED }
  switch (plan.name) {
    case 'POST /v1/search': {
      const image_id = known.get(plan.photo)
      return image_id === undefined
        ? upload(plan.photo, body, signal)
        : call('POST /v1/search/url', { body: { ...body, image_id }, signal })
    }
    case 'GET /v1/products/{product_id}/similar': {
      const query = Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          Array.isArray(value) && typeof value[0] === 'string' ? value.join(',') : toText(value),
        ]),
      )
      return call(plan.name, { path: { product_id: plan.id }, query, signal })
    }
    default:
      return call(plan.name, { body: body as never, signal })
  }
}

/** Searches as the person. @returns null when there is nothing to look for. @throws CallError */
export async function runSearch(
  question: Question,
  settings: Settings,
  facts: StoreFacts,
  signal: AbortSignal,
): Promise<SearchResponse | null> {
  for (let tries = 1; ; tries++) {
    const isPhotoAlone = planSearch(question, settings, facts, nameSource)?.name === 'POST /v1/search'
    try {
      if (!isPhotoAlone) await identify(question, signal)
      const plan = planSearch(question, settings, facts, nameSource)
      return plan && (await send(plan, signal))
    } catch (thrown) {
      // The service forgets a query picture after a while: the browser still has it.
      const isForgotten =
        thrown instanceof CallError && thrown.status === 404 && thrown.details['resource'] === 'image'
      if (!isForgotten || tries > 1) throw thrown
      known = new WeakMap()
    }
  }
}
