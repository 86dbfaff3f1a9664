import type { SpendRequest } from './address-budget.ts'
import { type AuthDeps, authPlugin, callerPlugin } from './auth.ts'
import { tracePlugin } from './trace.ts'

/** Budgets of requests that need no sign-in, by the client's address. */
export interface AddressBudgets {
  signIn: SpendRequest
  refresh: SpendRequest
  /** Requests that send a mail to any address. */
  mail: SpendRequest
}

export type Doors = ReturnType<typeof createDoors>

/** The plugins that let callers in; each routes file uses the one that says whom its routes are for. */
export function createDoors(deps: AuthDeps, budgets: AddressBudgets) {
  return {
    traced: tracePlugin(deps.traceOf),
    forStore: authPlugin(deps),
    guarding: authPlugin(deps, 'guard'),
    forPerson: callerPlugin(deps, 'several'),
    forCaller: callerPlugin(deps, 'never'),
    budgets,
  }
}
