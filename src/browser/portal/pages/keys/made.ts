import type { NewApiKey, RotatedApiKey } from '#generated/api.ts'
import { t } from './texts/texts.ts'

/** A secret that was made just now; nobody can read it again. */
export interface Made {
  title: string
  /** What the key names, such as `client_id`. */
  parts: readonly (readonly [label: string, value: string])[]
}

export const asMade = ({ name, key }: NewApiKey | RotatedApiKey): Made => ({
  title: t.keyMade(name),
  parts: [[t.key, key]],
})
