/** The names of all texts, separated by `|`. The build puts them in. */
declare const TEXT_NAMES: string

/** Reads the texts of a language, which the build writes without their names: those would make up a tenth of the file. */
export const unpack = (texts: string): never => {
  const all = texts.split('|')
  return Object.fromEntries(
    TEXT_NAMES.split('|').flatMap((name, n) => (all[n] ? [[name, all[n]]] : [])),
  ) as never
}
