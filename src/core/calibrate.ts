/** A logistic map from cosines to scores. */
interface Logistic {
  midpoint: number
  slope: number
}

/** The calibrated score of a raw cosine, 0 to 1. */
export const calibrate = (cosine: number, { midpoint, slope }: Logistic): number =>
  1 / (1 + Math.exp(-slope * (cosine - midpoint)))
