/** Periods that one click chooses. */
export const SPANS = [7, 30, 90] as const

/** What the address asks for. */
export interface Asked {
  /** Days up to today; null for a period from one date to another. */
  days: number | null
  from: string
  to: string
  compares: boolean
  key: string
  origin: string
}

const DATE = /^\d{4}-\d\d-\d\d$/

export function readAsked(query: URLSearchParams): Asked {
  const readDate = (name: string) => (DATE.test(query.get(name) ?? '') ? (query.get(name) ?? '') : '')
  const from = readDate('from')
  const days = Number(query.get('days'))
  return {
    days: from ? null : (SPANS.find((span) => span === days) ?? 30),
    from,
    to: readDate('to'),
    compares: query.get('compare') !== 'no',
    key: query.get('key') ?? '',
    origin: query.get('origin') ?? '',
  }
}

/** The same question as the API takes it. */
export const toQuery = ({ days, from, to, compares, key, origin }: Asked) => ({
  ...(days === null ? { from, ...(to && { to }) } : { days }),
  ...(compares && { compare: 'previous' as const }),
  ...(key && { key_id: key }),
  ...(origin && { origin }),
})
