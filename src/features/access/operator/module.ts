import type { Base, Module } from '../../module.ts'
import { type OperatorDeps, type OperatorService, operatorService } from './service.ts'

/** Wires the operator's verbs about people, for the command line and the API. */
export const buildOperator = (
  base: Base,
  needs: Pick<
    OperatorDeps,
    | 'people'
    | 'deletion'
    | 'reauthenticate'
    | 'registration'
    | 'passwordReset'
    | 'outbox'
    | 'forgiveFailures'
    | 'endSessions'
  >,
): Module<OperatorService> => ({ service: operatorService({ ...base, ...needs }) })
