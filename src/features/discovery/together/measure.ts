/** Baskets that hold neither product and are added to the real ones, so that a young store's few orders can say something. */
const PRIOR_BASKETS = 50
/** The log-likelihood ratio above which chance explains a pair in less than 1 % of cases (chi-square with one degree of freedom). */
const SURE = 6.63

/** How often two products are in one basket, each is in any, and all baskets. */
export interface Contingency {
  both: number
  one: number
  other: number
  all: number
}

/**
 * Says how closely two products belong together: the cosine of their baskets, `both / √(one · other)`, as item-to-item filtering
 * does (Linden, Smith and York 2003, "Amazon.com Recommendations"); 0 where chance explains it. A product that is in most baskets
 * meets every other one often. Whether a pair meets more often than that is told by the log-likelihood ratio (Dunning 1993,
 * "Accurate Methods for the Statistics of Surprise and Coincidence"), so popular products do not stand in every list.
 */
export function relate({ both, one, other, all }: Contingency): number {
  const baskets = all + PRIOR_BASKETS
  // What was dropped as rare meanwhile can leave a product fewer baskets than a pair.
  const [a, b] = [Math.max(one, both), Math.max(other, both)]
  if (both === 0 || both * baskets <= a * b) return 0
  const cells = [
    [both, a * b],
    [a - both, a * (baskets - b)],
    [b - both, b * (baskets - a)],
    [baskets - a - b + both, (baskets - a) * (baskets - b)],
  ] as const
  const ratio =
    2 *
    cells.reduce(
      (sum, [seen, expected]) => sum + (seen > 0 ? seen * Math.log((seen * baskets) / expected) : 0),
      0,
    )
  return ratio < SURE ? 0 : both / Math.sqrt(a * b)
}
