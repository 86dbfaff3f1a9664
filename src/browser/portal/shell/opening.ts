import { call } from '../api/client.ts'
import { signal } from '../signal.ts'

/** The store that the operator has opened in this tab, and until when (Unix ms). */
export interface Opening {
  slug: string
  until: number
}

/**
 * What the tab knows of it, and nothing else does: a super-admin has the right anyway, and the API only logs the beginning. A page
 * that is loaded anew therefore asks again.
 */
export const opening = signal<Opening | null>(null)

/** Says in the logs of the store and of the service that the operator begins to act for a store. @throws CallError */
export async function openStore(id: string): Promise<Opening> {
  const { slug, until } = await call('POST /v1/admin/stores/{id}/open', { path: { id } })
  const opened = { slug, until: Date.parse(until) }
  opening.set(opened)
  return opened
}
