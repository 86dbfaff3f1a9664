import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { meRoutes } from './routes.ts'
import { type MeDeps, type MeService, meService } from './service.ts'

export type MeNeeds = Pick<
  MeDeps,
  | 'people'
  | 'storeRows'
  | 'sessions'
  | 'passwords'
  | 'reauthenticateByPassword'
  | 'isTwoFactorEnabled'
  | 'forgetLinks'
>

/** Wires the caller's own account. */
export function buildMe(base: Base, needs: MeNeeds) {
  const service = meService({ ...base, ...needs })
  return {
    service,
    routes: (guards: Guards) => meRoutes(guards, service),
  } satisfies Module<MeService>
}
