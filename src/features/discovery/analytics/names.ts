/** Gives queries that differ only in case or spaces one name. */
export const nameQuery = (query: string | null): string | undefined =>
  query?.toWellFormed().normalize('NFC').toLowerCase().trim().replace(/\s+/g, ' ') || undefined
