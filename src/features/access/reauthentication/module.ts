import { LIMITS } from '../../../core/limits.ts'
import type { Base, Module } from '../../module.ts'
import {
  type ReauthenticationDeps,
  type ReauthenticationService,
  reauthenticationService,
} from './service.ts'

export type ReauthenticationNeeds = Pick<
  ReauthenticationDeps,
  'people' | 'sessions' | 'twoFactor' | 'passwords' | 'inTurn'
>

/**
 * Wires the repeated question for a signed-in person's password, and for a code if the account has a second factor.
 * Wrong answers are counted by person. The work runs in order for each person: slow parts first, then the effect in
 * one transaction.
 */
export function buildReauthentication(base: Base, needs: ReauthenticationNeeds) {
  const wrongTries = base.throttle('password.person', LIMITS.failuresPerEmailMax, LIMITS.failuresWindowMs)
  return {
    service: reauthenticationService({ ...base, ...needs, wrongTries }),
  } satisfies Module<ReauthenticationService>
}
