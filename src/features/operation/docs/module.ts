import type { Module } from '../../module.ts'
import { type DocsDeps, docsRoutes } from './routes.ts'

/** Wires the pages for developers. */
export const buildDocs = (needs: DocsDeps) =>
  ({ service: {}, routes: () => docsRoutes(needs) }) satisfies Module<object>
