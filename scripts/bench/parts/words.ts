const KINDS = ['red mug', 'blue striped shirt', 'wooden chair', 'black backpack', 'table lamp', 'green dress']

/**
 * Words that no search before had: the service infers nothing for those that it knows.
 *
 * @param name tells the words of one client or run from those of another.
 */
export const freshWords = (name: string, n: number): string =>
  `${KINDS[Math.abs(n) % KINDS.length]} ${name} ${n}`
