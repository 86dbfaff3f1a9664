import type { Texts } from './texts.ts'

export const texts: Texts = {
  subject: (store, searches) => `${store}: ${searches} zoekopdrachten vorige week`,
  title: (store, period) => `${store}, ${period}`,
  searches: 'Zoekopdrachten',
  clicked: 'Zoekopdrachten met een klik',
  revenue: 'Omzet',
  orders: (count) => `bestellingen: ${count}`,
  before: (value) => `de week ervoor: ${value}`,
  missed: 'Gezocht en niet gevonden',
  photos: 'Foto’s zonder goed resultaat',
  unknownPhotos: 'iets dat geen categorie benoemt',
  soldOut: 'Uitverkocht, maar gewild',
  searchedTimes: (count) => `zoekopdrachten: ${count}`,
  clickedTimes: (count) => `kliks: ${count}`,
  advice: 'Wat nu het meest helpt',
  advices: {
    'track-clicks': [
      'Er is gezocht, maar er is geen klik gemeld. Controleer of de widget, of de code van uw winkel, de kliks meldt.',
      'Tracking controleren',
    ],
    restock: [
      'Klanten klikken op uitverkochte producten. Vul ze aan, of zet bovenaan wat ze kan vervangen.',
      'Producten openen',
    ],
    'name-missed': [
      'Vertel de zoekfunctie wat deze woorden in uw winkel betekenen, of voeg zo’n product toe.',
      'Statistieken openen',
    ],
    photos: [
      'Kijk wat klanten fotograferen en niet vinden. Misschien wilt u het verkopen.',
      'Statistieken openen',
    ],
    'track-purchases': [
      'Klanten klikken, maar er is geen aankoop gemeld. Meld aankopen om te zien wat het zoeken oplevert.',
      'Zo gaat dat',
    ],
    try: [
      'Alles is in orde. Zoek eens zoals een klant, en kijk of de eerste resultaten u bevallen.',
      'Een zoekopdracht proberen',
    ],
  },
  why: 'U krijgt deze mail op maandag omdat deze winkel van u is.',
  unsubscribe: 'Afmelden',
}
