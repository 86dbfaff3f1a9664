import type { ComponentChildren } from 'preact'
import { type Answer, type Call, readVersion, type Versioned } from '../api/client.ts'
import { Show } from './show.tsx'
import { useLoad } from './use-load.ts'

interface LatestProps<Name extends Call> {
  /** Reads one thing by its id. */
  of: Name
  id: string
  children(latest: Versioned<Answer<Name>>): ComponentChildren
}

/**
 * Reads a thing before its form opens. So the form starts from what is there now, not from a list that was read a while ago, and
 * knows the version that it may overwrite.
 */
export function Latest<Name extends Call>({ of: name, id, children }: LatestProps<Name>) {
  const loaded = useLoad((signal) => readVersion(name, { path: { id }, signal }), [name, id])
  return <Show of={loaded}>{children}</Show>
}
