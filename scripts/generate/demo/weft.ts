import { scale } from './colour.ts'
import { cloth } from './materials.ts'
import type { Material } from './mesh.ts'
import type { Weave } from './clothes.ts'

/** A woven pattern on flat cloth, in surface coordinates three units wide. */
export const weft = (weave: Weave): Material => cloth((u, v) => scale(weave((u - 0.5) * 3, (v - 0.5) * 3), 1), 10)
