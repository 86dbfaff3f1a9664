/**
 * Fills the places of a sentence about an event, at once: people choose their names, and one such as `Anna {what}` must not
 * change what the log says of others.
 *
 * @param thing what it is about, in quotes; empty for nothing.
 */
export const fillSentence = (sentence: string, who: string, thing: string): string =>
  sentence.replace(/\{who\}| \{what\}/g, (place) => (place === '{who}' ? who : thing && ` ${thing}`))
