import type { Context } from '../shapes.ts'
import type { View } from './dialog-view.ts'
import type { Outcome } from './outcome.ts'
import type { Query } from './search.ts'
import type { Stage } from './stage.ts'
import type { Speech, Texts } from './texts.ts'

/** The state that the controllers of the dialog share. Each keeps everything else to itself. */
export interface State {
  /** The current query. A change replaces it, so a running search keeps the one it began with. */
  query: Query
}

/** The parts that the controllers of the dialog work with. */
export interface Parts {
  context: Context
  texts: Texts
  speech: Speech
  view: View
  stage: Stage
  outcome: Outcome
  state: State
}
