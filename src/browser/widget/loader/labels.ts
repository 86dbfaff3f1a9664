/** The few texts that show before the main file is there. The rest is in `main/texts.ts`. */
const LABELS = {
  en: ['Search by picture', 'Find similar: {name}', 'Drop the picture here'],
  de: ['Mit Bild suchen', 'Ähnliches finden: {name}', 'Bild hier ablegen'],
  fr: ['Rechercher par image', 'Trouver des articles semblables : {name}', 'Déposez l’image ici'],
  es: ['Buscar con una imagen', 'Buscar similares: {name}', 'Suelta la imagen aquí'],
  it: ['Cerca con un’immagine', 'Trova prodotti simili: {name}', 'Rilascia qui l’immagine'],
  nl: ['Zoeken met een foto', 'Vergelijkbare producten zoeken: {name}', 'Zet de foto hier neer'],
  pl: ['Szukaj według zdjęcia', 'Znajdź podobne: {name}', 'Upuść zdjęcie tutaj'],
  pt: ['Pesquisar por imagem', 'Encontrar semelhantes: {name}', 'Solte a imagem aqui'],
} as const

/** Finds the texts of a language in a table; English stands in for a language that is not there. */
export function pickLanguage<Texts>(table: Readonly<Record<'en', Texts>>, lang: string): Texts {
  const name = lang.split('-')[0] ?? ''
  return Object.hasOwn(table, name) ? ((table as Record<string, Texts>)[name] as Texts) : table.en
}

export interface Labels {
  button: string
  similar: string
  dropHere: string
}

/** @param own texts of the shop, by name. */
export function pickLabels(lang: string, own: Readonly<Record<string, string>>): Labels {
  const [button, similar, dropHere] = pickLanguage<readonly [string, string, string]>(LABELS, lang)
  return { button, similar, dropHere, ...own }
}
