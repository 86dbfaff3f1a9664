export const round = (value: number, digits = 4): number => Math.round(value * 10 ** digits) / 10 ** digits

/** null where nothing could be counted. */
export const share = (part: number, whole: number): number | null => (whole <= 0 ? null : round(part / whole))
