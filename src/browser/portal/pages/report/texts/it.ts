import { formatNumber } from '../../../language.ts'
import type { texts as English } from './en.ts'

export const texts: typeof English = {
  heading: 'Rapporto sul catalogo',
  make: 'Controlla ora',
  waiting: 'È in preparazione un nuovo rapporto. Arriva al più presto cinque minuti dopo il precedente.',
  lookedAt: (n: number): string =>
    n === 1 ? '1 prodotto, esaminato' : `${formatNumber(n)} prodotti, esaminati`,
  none: 'Ancora nessun rapporto',
  noneHint: 'Ogni notte cerchiamo immagini e dati che non vanno insieme.',
  fine: 'Niente da correggere',
  fineHint: 'Immagini e dati dei prodotti vanno insieme, per quanto possiamo vedere.',
  kinds: {
    dead_link: 'Immagini che non si sono caricate',
    shared_picture: 'Una sola immagine, molti prodotti',
    category_mismatch: 'L’immagine contraddice la categoria',
    color_mismatch: 'L’immagine contraddice il colore',
    near_duplicate: 'Probabilmente lo stesso prodotto due volte',
    tiny_picture: 'Immagini molto piccole',
    no_words: 'Prodotti senza parole',
  },
  hints: {
    dead_link: 'Correggi l’indirizzo dell’immagine e importa di nuovo il prodotto.',
    shared_picture: 'Forse un’immagine provvisoria. Chi cerca con un’immagine non trova questi prodotti.',
    category_mismatch: 'Solo categorie che riconosciamo bene negli altri prodotti.',
    color_mismatch: 'Solo colori che gli altri prodotti mostrano chiaramente.',
    near_duplicate: 'Entrambi mostrano la stessa immagine. Le varianti vanno in un gruppo.',
    tiny_picture: 'Sotto i 150 pixel per lato si riconosce poco. Invia immagini più grandi.',
    no_words: 'Bastano un nome e una categoria per trovarli con le parole.',
  },
  andMore: (n: number): string => (n === 1 ? 'e 1 altro' : `e altri ${formatNumber(n)}`),
  category: (own: string, seems: string): string =>
    `La categoria è «${own}», e l’immagine sembra «${seems}».`,
  colour: (name: string): string => `Il colore è «${name}», e l’immagine non ne mostra nulla.`,
  shared: (n: number): string => `${formatNumber(n)} prodotti hanno questa immagine.`,
  pixels: (width: number, height: number): string => `${width} × ${height} pixel`,
  twin: 'La stessa immagine di',
  mute: 'Senza nome, categoria, marca, descrizione né tag',
}
