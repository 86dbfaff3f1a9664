import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { clientSecretRoutes } from './routes.ts'
import { type ClientSecretDeps, type ClientSecretService, clientSecretService } from './service.ts'
import { createSecretUses, type SecretUseDeps } from './uses.ts'

export type ClientSecretNeeds = Pick<
  ClientSecretDeps,
  'storeRows' | 'stores' | 'clientFailures' | 'tellOwners' | 'uses'
>

/** Wires what is known of a store's client secret, and its change. */
export function buildClientSecret(base: Base, needs: ClientSecretNeeds) {
  const service = clientSecretService({ ...base, ...needs })
  return {
    service,
    routes: (guards: Guards) => clientSecretRoutes(guards, service),
    forgetStore: needs.uses.forgetStore,
  } satisfies Module<ClientSecretService>
}

/** Creates what remembers the uses of client secrets; signing in notes them. */
export const createClientSecretUses = (
  { clock }: Pick<Base, 'clock'>,
  needs: Pick<SecretUseDeps, 'enqueueWrite' | 'write'>,
) => createSecretUses({ clock, ...needs })
