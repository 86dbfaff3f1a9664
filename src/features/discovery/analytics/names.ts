/** Queries that differ in case or spaces are one. */
export const nameQuery = (query: string | null): string | undefined =>
  query?.toWellFormed().normalize('NFC').toLowerCase().trim().replace(/\s+/g, ' ') || undefined
