import { formatAgo, formatMoment } from '../language.ts'

/** A moment as the time until now, with the exact one for whoever points at it. */
export const Moment = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatMoment(at)}>
    {formatAgo(at)}
  </time>
)
