import type { Base, Module } from '../../module.ts'
import { widgetFileRoutes } from './routes.ts'

/** Wires the files of the shop widget, which know no store. */
export const buildWidgetFiles = ({ baseUrl }: Base) =>
  ({ service: {}, routes: () => widgetFileRoutes(baseUrl) }) satisfies Module<object>
