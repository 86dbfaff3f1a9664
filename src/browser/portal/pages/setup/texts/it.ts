import type { Texts } from './en.ts'

export const texts: Texts = {
  title: 'Crea il primo account',
  who: 'Dati del proprietario',
  whoHint: 'Questo account sarà il proprietario dell’installazione. Nulla viene inviato all’esterno.',
  store: 'Nome del negozio',
  address: 'Il suo indirizzo qui:',
  numbered: 'Un altro negozio ha già questo indirizzo, quindi viene aggiunto un numero.',
  make: 'Crea il mio negozio',
  making: 'Creazione del negozio…',
  badEmail: 'Questo non è un indirizzo e-mail.',
  badStore: 'Un nome è una riga da 1 a 100 caratteri.',
  ended: 'Questo link non è più valido',
  endedHint:
    'Il link è già stato usato o ha più di 30 minuti. Eseguire questo comando dove gira il servizio, oppure riavviare il servizio:',
  endedMore: 'Viene stampato un nuovo link, da aprire qui.',
  incomplete: 'Questo link è incompleto',
  incompleteHint:
    'Aprire il link completo che il servizio ha stampato nel terminale. Se è andato perso, eseguire questo comando dove gira il servizio:',
  owned: 'Questa installazione ha già un proprietario',
  ownedHint: 'Accedere, oppure chiedere un invito al proprietario.',
}
