/** How often something is measured: so often, or until the time is over. */
export interface Bound {
  rounds: number
  seconds: number
}

/** Fewer have no median; so many are measured however long they take. */
const LEAST = 3

/**
 * Numbers the rounds from 0. The last one begins before the time is over, unless there are fewer than three.
 *
 * @param now in ms.
 */
export function* roundsWithin(
  { rounds, seconds }: Bound,
  now: () => number = () => performance.now(),
): Generator<number> {
  const end = now() + seconds * 1_000
  for (let round = 0; round < rounds && (round < LEAST || now() < end); round++) yield round
}

/** A third of the rounds and of the time of a measurement, for what comes before it. */
export const warmUp = ({ rounds, seconds }: Bound): Bound => ({
  rounds: Math.ceil(rounds / 3),
  seconds: seconds / 3,
})
