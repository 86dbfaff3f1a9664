/**
 * The measured weights of the ranking, in one place. A value is a cosine, or what counts like one; `fusion.ts` explains how
 * values become scores.
 */
export const RANKING = {
  /** The best match of words counts like this many standard deviations of the store's cosines to the query… */
  keyword: 4,
  /** …and like this many where the model knows none of the query's words. */
  keywordOfUnknown: 6,
  /** Words alone: log-odds between a product that has all of the best match and one that has none of it. */
  keywordSlope: 6,
  /** A product outside the category that the query's words name loses this many standard deviations. */
  namedCategory: 1,
  /** A product outside the category of the query's own product loses so much. */
  ownCategory: 0.025,
  /** How much a category name counts that fits the query picture less than the best one does. */
  categoryName: 1.5,
  /** The `category_boost` at which steering has its measured weight. */
  categoryBoost: 0.1,
  /** From this cosine on, steering by category fades out: the same picture is the same whatever its category. */
  alike: 0.8,
  /** Log-odds that a product loses which shows none of the colours that somebody picked… */
  palette: 3,
  /** …of those that the words of a query name… */
  colourWord: 1,
  /** …and of those that they name beside a picture. */
  colourWordBoth: 3,
  /** Log-odds that a product loses which says something that the query does not want. */
  unwanted: 4,
  /** Share of a picture that is enough for a wanted colour. */
  colourEnough: 0.6,
  /** How much a picture's colour counts where the product's colour name says another one. */
  colourMisnamed: 0.25,
  /** Log-odds beyond which what matches better counts less where colours are wanted; as `knee` of a map without one. */
  colourKnee: 1,
  /** Log-odds between all wanted colours and none where nothing else is asked. */
  paletteSlope: 6,
  /** Log-odds that a product loses which has nothing of what the first hits of a search by picture agree on… */
  votePicture: 5,
  /** …of a search by words… */
  voteText: 3,
  /** …and of one by both. */
  voteBoth: 5,
  /** Log-odds that a product loses in a search by words for each unit of cosine that it looks less like the first hits. */
  voteLooks: 3,
  /** Log-odds below the first hit from which on a product loses in full; nearer ones lose less. */
  voteReach: 0.5,
  /** Of the first hits one counts e times as much as another one that is so many log-odds worse. */
  voteTemperature: 0.45,
  /** Scores of a query that neither the model nor the store knows stay below this. */
  guess: 0.3,
} as const
