import { buildMap } from '../features/nodes/map/module.ts'
import type { Foundation } from './foundation.ts'

/** Builds the map of who lives where, which commands write, too. */
export const wireNodeMap = ({ base }: Foundation) => buildMap(base)
