/** The doctor's finding about one part of an install. */
export interface Check {
  /** A word for scripts, such as `disk`. */
  name: string
  /** `warning` does not keep the service from running. */
  state: 'ok' | 'warning' | 'error'
  /** What was found: one sentence without a full stop. */
  text: string
  /** What to do about it; null where nothing has to be done. */
  cure: string | null
}

export const ok = (name: string, text: string): Check => ({ name, state: 'ok', text, cure: null })
export const warning = (name: string, text: string, cure: string): Check => ({
  name,
  state: 'warning',
  text,
  cure,
})
export const error = (name: string, text: string, cure: string): Check => ({
  name,
  state: 'error',
  text,
  cure,
})
