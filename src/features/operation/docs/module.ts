import type { Module } from '../../module.ts'
import { docsRoutes } from './routes.ts'

/** Wires the pages for developers. They depend on nothing. */
export const buildDocs = () => ({ service: {}, routes: docsRoutes }) satisfies Module<object>
