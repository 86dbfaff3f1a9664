import type { Base, Module } from '../../module.ts'
import { type StateDeps, type StateService, stateService } from './service.ts'
import { createStateWatch, type StateWatchDeps } from './watch.ts'

const SECOND_MS = 1_000

/** Wires what the operator does to stores. */
export const buildStates = (
  base: Base,
  needs: Pick<StateDeps, 'stores' | 'mailOwners'>,
): Module<StateService> => ({ service: stateService({ ...base, ...needs }) })

/** Wires what a running service does when a store is suspended or resumed, by itself or by a command. */
export const buildStateWatch = (needs: StateWatchDeps) =>
  ({
    service: undefined,
    chores: [
      {
        name: 'watching for suspended stores and lost rights',
        everyMs: SECOND_MS,
        run: createStateWatch(needs),
      },
    ],
  }) satisfies Module<undefined>
