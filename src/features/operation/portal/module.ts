import type { Module } from '../../module.ts'
import { portalPageRoutes } from './routes.ts'

/**
 * Wires the pages for people: one document at all their addresses, and the files that it loads. They call the API as everyone
 * does, and hold nothing of a store themselves.
 */
export const buildPortal = () => ({ service: {}, routes: () => portalPageRoutes() }) satisfies Module<object>
