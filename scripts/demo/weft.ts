import type { Weave } from './clothes.ts'
import { cloth } from './materials.ts'
import type { Material } from './mesh.ts'

/** A woven pattern on flat cloth, in surface coordinates three units wide. */
export const weft = (weave: Weave): Material => cloth((u, v) => weave((u - 0.5) * 3, (v - 0.5) * 3))
