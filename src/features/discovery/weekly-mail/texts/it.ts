import type { Texts } from './texts.ts'

export const texts: Texts = {
  subject: (store, searches) => `${store}: ${searches} ricerche la settimana scorsa`,
  title: (store, period) => `${store}, ${period}`,
  searches: 'Ricerche',
  clicked: 'Ricerche con un clic',
  revenue: 'Ricavi',
  orders: (count) => `ordini: ${count}`,
  before: (value) => `la settimana prima: ${value}`,
  missed: 'Cercato e non trovato',
  photos: 'Foto senza un risultato simile',
  unknownPhotos: 'qualcosa che nessuna categoria nomina',
  soldOut: 'Esaurito, e richiesto',
  searchedTimes: (count) => `ricerche: ${count}`,
  clickedTimes: (count) => `clic: ${count}`,
  advice: 'Che cosa aiuta di più adesso',
  advices: {
    'track-clicks': [
      'Ci sono state ricerche, ma nessun clic è stato segnalato. Verifichi che il widget, o il codice del negozio, segnali i clic.',
      'Verificare il tracciamento',
    ],
    restock: [
      'I clienti fanno clic su prodotti esauriti. Li riordini, o metta in alto ciò che può sostituirli.',
      'Aprire i prodotti',
    ],
    'name-missed': [
      'Dica alla ricerca che cosa significano queste parole nel Suo negozio, o aggiunga un prodotto simile.',
      'Aprire le statistiche',
    ],
    photos: [
      'Guardi che cosa fotografano i clienti senza trovarlo. Forse vorrà venderlo.',
      'Aprire le statistiche',
    ],
    'track-purchases': [
      'I clienti fanno clic, ma nessun acquisto è stato segnalato. Segnali gli acquisti per vedere quanto rende la ricerca.',
      'Vedere come',
    ],
    try: [
      'È tutto a posto. Provi una ricerca come un cliente, e veda se i primi risultati Le piacciono.',
      'Provare una ricerca',
    ],
  },
  why: 'Riceve questa mail il lunedì perché è proprietario di questo negozio.',
  unsubscribe: 'Annulla l’iscrizione',
}
