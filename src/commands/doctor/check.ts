/** The doctor's finding about one part of an install. */
export interface Check {
  /** A word for scripts, such as `disk`. */
  name: string
  /** `warning` does not keep the service from running. */
  state: 'ok' | 'warning' | 'failed'
  /** One sentence for the operator, with the cure of a fault; without a full stop. */
  text: string
}

export const ok = (name: string, text: string): Check => ({ name, state: 'ok', text })
export const warning = (name: string, text: string): Check => ({ name, state: 'warning', text })
export const failed = (name: string, text: string): Check => ({ name, state: 'failed', text })
