/** The few texts that show without the main file. The rest is in `main/texts.ts`. */
const LABELS = {
  en: ['Search by picture', 'Find similar: {name}', 'Drop the picture here', 'The search did not work.'],
  de: [
    'Mit Bild suchen',
    'Ähnliches finden: {name}',
    'Bild hier ablegen',
    'Die Suche hat nicht funktioniert.',
  ],
  fr: [
    'Rechercher par image',
    'Trouver des articles semblables : {name}',
    'Déposez l’image ici',
    'La recherche n’a pas fonctionné.',
  ],
  es: [
    'Buscar con una imagen',
    'Buscar similares: {name}',
    'Suelta la imagen aquí',
    'La búsqueda no ha funcionado.',
  ],
  it: [
    'Cerca con un’immagine',
    'Trova prodotti simili: {name}',
    'Rilascia qui l’immagine',
    'La ricerca non ha funzionato.',
  ],
  nl: [
    'Zoeken met een foto',
    'Vergelijkbare producten zoeken: {name}',
    'Zet de foto hier neer',
    'Het zoeken is niet gelukt.',
  ],
  pl: [
    'Szukaj według zdjęcia',
    'Znajdź podobne: {name}',
    'Upuść zdjęcie tutaj',
    'Wyszukiwanie się nie powiodło.',
  ],
  pt: [
    'Pesquisar por imagem',
    'Encontrar semelhantes: {name}',
    'Solte a imagem aqui',
    'A pesquisa não funcionou.',
  ],
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
  failed: string
}

/** @param own texts of the shop, by name. */
export function pickLabels(lang: string, own: Readonly<Record<string, string>>): Labels {
  const [button, similar, dropHere, failed] = pickLanguage<readonly [string, string, string, string]>(
    LABELS,
    lang,
  )
  return { button, similar, dropHere, failed, ...own }
}
