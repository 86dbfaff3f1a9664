import { LIMITS } from '../../../core/limits.ts'
import type { Base, Module } from '../../module.ts'
import { type ProofDeps, type ProofService, proofService } from './service.ts'

export type ProofNeeds = Pick<ProofDeps, 'people' | 'sessions' | 'twoFactor' | 'passwords' | 'locked'>

/** Wires what asks a signed-in person for the password again. */
export function buildProof(base: Base, needs: ProofNeeds) {
  const failures = base.throttle('password.person', LIMITS.failuresPerEmailMax, LIMITS.failuresWindowMs)
  return {
    service: proofService({ ...base, ...needs, failures }),
  } satisfies Module<ProofService>
}
