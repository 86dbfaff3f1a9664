import { formatNumber } from '../../../language.ts'
import type { texts as English } from './en.ts'

export const texts: typeof English = {
  heading: 'Catalogusrapport',
  make: 'Nu controleren',
  waiting: 'Er wordt een nieuw rapport gemaakt. Het komt op zijn vroegst vijf minuten na het vorige.',
  lookedAt: (n: number): string => (n === 1 ? '1 product, bekeken' : `${formatNumber(n)} producten, bekeken`),
  none: 'Nog geen rapport',
  noneHint: 'Elke nacht zoeken we naar afbeeldingen en gegevens die niet bij elkaar passen.',
  fine: 'Niets te verbeteren',
  fineHint: 'Afbeeldingen en gegevens van je producten passen bij elkaar, voor zover we kunnen zien.',
  kinds: {
    dead_link: 'Afbeeldingen die niet geladen konden worden',
    shared_picture: 'Eén afbeelding, veel producten',
    category_mismatch: 'Afbeelding en categorie spreken elkaar tegen',
    color_mismatch: 'Afbeelding en kleur spreken elkaar tegen',
    near_duplicate: 'Waarschijnlijk twee keer hetzelfde product',
    tiny_picture: 'Heel kleine afbeeldingen',
    no_words: 'Producten zonder woorden',
  },
  hints: {
    dead_link: 'Verbeter het adres van de afbeelding en importeer het product opnieuw.',
    shared_picture:
      'Misschien een tijdelijke afbeelding. Wie met een afbeelding zoekt, vindt deze producten niet.',
    category_mismatch: 'Alleen categorieën die we bij je andere producten goed herkennen.',
    color_mismatch: 'Alleen kleuren die je andere producten duidelijk tonen.',
    near_duplicate: 'Beide tonen dezelfde afbeelding. Varianten horen in één groep.',
    tiny_picture: 'Onder 150 pixels per zijde is weinig te herkennen. Stuur grotere afbeeldingen.',
    no_words: 'Een naam en een categorie zijn genoeg om ze met woorden te vinden.',
  },
  andMore: (n: number): string => (n === 1 ? 'en nog 1' : `en nog ${formatNumber(n)}`),
  category: (own: string, seems: string): string =>
    `De categorie is “${own}”, en de afbeelding lijkt op “${seems}”.`,
  colour: (name: string): string => `De kleur is “${name}”, en de afbeelding toont daar niets van.`,
  shared: (n: number): string => `${formatNumber(n)} producten hebben deze afbeelding.`,
  pixels: (width: number, height: number): string => `${width} × ${height} pixels`,
  twin: 'Dezelfde afbeelding als',
  mute: 'Geen naam, categorie, merk, beschrijving of tags',
}
