import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Accedi',
  about: 'API',
  guide: 'Guida',
  hint: 'Primo accesso? Serve un invito da un membro del negozio.',
  forgotHeading: 'Password dimenticata?',
  forgotHint:
    'All’indirizzo indicato arriva un link per scegliere una nuova password. Vale una sola volta, per un’ora.',
  send: 'Invia il link',
  sending: 'Invio in corso…',
  sentHeading: 'Controllare la posta',
  sent: 'Se esiste un account con questo indirizzo, il link è in arrivo. Senza server di posta, va chiesto al gestore di questa installazione.',
  back: 'Torna all’accesso',
  codesLeft: (count) => `Codici di recupero rimasti: ${count}. È bene crearne di nuovi prima che finiscano.`,
  goOn: 'Continua',
  registerHeading: 'Registra un negozio',
  storeName: 'Nome del negozio',
  register: 'Registra il negozio',
  registering: 'Registrazione in corso…',
  registered:
    'Aprire il link nell’e-mail entro 24 ore e inserire lì di nuovo la password. Poi sarà possibile accedere.',
  waitsHeading: 'Registrazione in attesa',
  waits:
    'Questa installazione non invia e-mail. Chiedere al gestore di attivare l’account; poi sarà possibile accedere.',
  closed: 'Qui non è possibile registrarsi',
  closedHint:
    'Il gestore di questa installazione ha disattivato la registrazione. Il proprietario di un negozio può inviare un invito.',
  invite: 'Codice dell’invito',
  inviteHint: 'Lo ha inviato il gestore di questa installazione.',
  inviteWrong: 'Qui ci si registra su invito. Inserire il codice inviato a questo indirizzo e-mail.',
  badEmail: 'Questo non è un indirizzo e-mail.',
  badStore: 'Un nome è una riga da 1 a 100 caratteri.',
  newHere: 'Registra un negozio',
}
