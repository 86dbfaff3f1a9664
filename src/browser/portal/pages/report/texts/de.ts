import { formatNumber } from '../../../language.ts'
import type { texts as English } from './en.ts'

export const texts: typeof English = {
  heading: 'Katalogbericht',
  make: 'Jetzt prüfen',
  waiting: 'Ein neuer Bericht entsteht. Er kommt frühestens fünf Minuten nach dem letzten.',
  lookedAt: (n: number): string => (n === 1 ? '1 Produkt, geprüft' : `${formatNumber(n)} Produkte, geprüft`),
  none: 'Noch kein Bericht',
  noneHint: 'Jede Nacht suchen wir nach Bildern und Daten, die nicht zusammenpassen.',
  fine: 'Nichts zu korrigieren',
  fineHint: 'Bilder und Daten Ihrer Produkte passen zusammen, soweit wir sehen.',
  kinds: {
    dead_link: 'Bilder, die nicht geladen werden konnten',
    shared_picture: 'Ein Bild, viele Produkte',
    category_mismatch: 'Bild und Kategorie widersprechen sich',
    color_mismatch: 'Bild und Farbe widersprechen sich',
    near_duplicate: 'Wahrscheinlich zweimal dasselbe Produkt',
    tiny_picture: 'Sehr kleine Bilder',
    no_words: 'Produkte ohne Wörter',
  },
  hints: {
    dead_link: 'Korrigieren Sie die Adresse des Bildes und importieren Sie das Produkt erneut.',
    shared_picture: 'Vielleicht ein Platzhalter. Wer mit einem Bild sucht, findet diese Produkte nicht.',
    category_mismatch: 'Nur Kategorien, die wir bei Ihren anderen Produkten zuverlässig erkennen.',
    color_mismatch: 'Nur Farben, die Ihre anderen Produkte deutlich zeigen.',
    near_duplicate: 'Beide zeigen dasselbe Bild. Varianten gehören in eine Gruppe.',
    tiny_picture: 'Unter 150 Pixeln je Seite ist wenig zu erkennen. Senden Sie größere Bilder.',
    no_words: 'Name und Kategorie genügen, damit Kunden sie mit Wörtern finden.',
  },
  andMore: (n: number): string => (n === 1 ? 'und 1 weiteres' : `und ${formatNumber(n)} weitere`),
  category: (own: string, seems: string): string =>
    `Die Kategorie ist „${own}“, das Bild sieht nach „${seems}“ aus.`,
  colour: (name: string): string => `Die Farbe ist „${name}“, und das Bild zeigt nichts davon.`,
  shared: (n: number): string => `${formatNumber(n)} Produkte haben dieses Bild.`,
  pixels: (width: number, height: number): string => `${width} × ${height} Pixel`,
  twin: 'Dasselbe Bild wie',
  mute: 'Weder Name noch Kategorie, Marke, Beschreibung oder Schlagwörter',
}
