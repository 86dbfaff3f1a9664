/** The languages that have texts. Another one is a file beside `en.ts` in each folder of texts, and a line here. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]
