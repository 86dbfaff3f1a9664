import type { Base, Module } from '../../module.ts'
import { type OperatorDeps, type OperatorService, operatorService } from './service.ts'

/** Wires what the operator does for people, at the command line and by the API. */
export const buildOperator = (
  base: Base,
  needs: Pick<
    OperatorDeps,
    'people' | 'registration' | 'passwordReset' | 'outbox' | 'forgiveFailures' | 'endSessions'
  >,
): Module<OperatorService> => ({ service: operatorService({ ...base, ...needs }) })
