import { HOUR_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createThrottle } from '../../../platform/db/throttle.ts'
import type { Ground, Module } from '../../module.ts'
import { type ProofDeps, type ProofService, proofService } from './service.ts'

export type ProofNeeds = Pick<
  ProofDeps,
  'people' | 'sessions' | 'twoFactor' | 'passwords' | 'warnOfGuesses' | 'locked'
>

/** Wires what asks a signed-in person for the password again. */
export function buildProof(ground: Ground, needs: ProofNeeds) {
  const { db, clock } = ground
  const failures = createThrottle(db, {
    bucket: 'password.person',
    limit: LIMITS.failuresPerEmailMax,
    windowMs: LIMITS.failuresWindowMs,
  })
  return {
    service: proofService({ ...ground, ...needs, failures }),
    chores: [
      { name: 'deleting old wrong passwords', everyMs: HOUR_MS, run: () => failures.prune(clock.now()) },
    ],
  } satisfies Module<ProofService>
}
