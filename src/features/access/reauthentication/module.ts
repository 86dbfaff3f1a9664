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

/** Wires the repeated question for a signed-in person's password. */
export function buildReauthentication(base: Base, needs: ReauthenticationNeeds) {
  const wrongTries = base.throttle('password.person', LIMITS.failuresPerEmailMax, LIMITS.failuresWindowMs)
  return {
    service: reauthenticationService({ ...base, ...needs, wrongTries }),
  } satisfies Module<ReauthenticationService>
}
