import type { Context } from '../shapes.ts'
import type { Outcome } from './outcome.ts'
import type { Query } from './search.ts'
import type { Stage } from './stage.ts'
import type { Speech, Texts } from './texts.ts'
import type { View } from './view.ts'

/** What the controllers of the dialog share. Everything else that one remembers is its own. */
export interface State {
  /** What the shopper looks for now. A change replaces it, so that a search keeps the one it began with. */
  query: Query
}

/** What the controllers of the dialog are made of. */
export interface Parts {
  context: Context
  texts: Texts
  speech: Speech
  view: View
  stage: Stage
  outcome: Outcome
  state: State
}
