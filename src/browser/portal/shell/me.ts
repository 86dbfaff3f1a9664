import type { Me } from '#generated/api.ts'
import { call, listenForRefusals, setActiveStore } from '../api/client.ts'
import { setAsker, setPerson } from '../api/session.ts'
import { signal } from '../signal.ts'

/** Who is signed in, and what they may do in the store of the page. */
export const me = signal<Me | null>(null)
/** Set when rights were found to differ from those that the page was drawn with. */
export const rightsChanged = signal(false)
/** Set while the dialog for signing in again is open: closes it. */
export const askingAgain = signal<(() => void) | null>(null)

const rightsOf = (one: Me): string => [...one.permissions, ...one.powers, one.active_store?.role].join(' ')

/** Reads who is signed in. @param store slug, or null for pages about none. @throws CallError */
export async function loadMe(store: string | null): Promise<Me> {
  setActiveStore(store)
  const answer = await call('GET /v1/me')
  if (answer.user) setPerson(answer.user.id)
  // From now on a sign-in that ends is a dialog over the page, so that no input is lost.
  setAsker(
    () =>
      new Promise<void>((resolve) => {
        askingAgain.set(() => {
          askingAgain.set(null)
          resolve()
        })
      }),
  )
  me.set(answer)
  return answer
}

let isChecking = false

/** After a refusal: looks whether the rights have changed since the page was drawn. */
listenForRefusals(() => {
  const before = me.get()
  if (!before || isChecking) return
  isChecking = true
  call('GET /v1/me')
    .then((after) => {
      if (rightsOf(after) === rightsOf(before)) return
      me.set(after)
      rightsChanged.set(true)
    })
    // The refusal itself is shown where it happened.
    .catch(() => {})
    .finally(() => {
      isChecking = false
    })
})
