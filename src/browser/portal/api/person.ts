import { call, setActiveStore } from './client.ts'
import { readToken } from './session.ts'

/** Reads the e-mail address of whoever is signed in in this browser, for pages that ask nobody to. @throws CallError */
export async function readPerson(): Promise<string | null> {
  if ((await readToken()) === null) return null
  setActiveStore(null)
  return (await call('GET /v1/me')).user?.email ?? null
}
