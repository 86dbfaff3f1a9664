/** A calendar month of UTC. */
export interface Month {
  /** As in `2026-11`; names sort by time. */
  name: string
  /** Unix ms. */
  start: number
  /** The first moment of the next month, in Unix ms. */
  end: number
}

/** Finds the month of a moment. @param now Unix ms. */
function monthOf(now: number): Month {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    name: date.toISOString().slice(0, 7),
    start: Date.UTC(year, month, 1),
    end: Date.UTC(year, month + 1, 1),
  }
}

/** Creates a function that finds the month of the present moment, and reckons only when it changes. */
export function createMonths(now: () => number): () => Month {
  let month: Month | undefined
  return () => {
    const moment = now()
    if (!month || moment < month.start || moment >= month.end) month = monthOf(moment)
    return month
  }
}

/** The same day a month later, or the last day of a shorter month. @param moment Unix ms. */
export function addMonth(moment: number): number {
  const date = new Date(moment)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const lastDay = new Date(Date.UTC(year, month + 2, 0)).getUTCDate()
  const day = Math.min(date.getUTCDate(), lastDay)
  return Date.UTC(year, month + 1, day) + (moment - Date.UTC(year, month, date.getUTCDate()))
}
