/** Placeholder until the doors are built; replaced by the change that names them. */
export type Doors = never
