import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Anmelden',
  about: 'API',
  guide: 'Handbuch',
  hint: 'Neu hier? Jemand aus dem Shop lädt Sie ein.',
  forgotHeading: 'Passwort vergessen?',
  forgotHint:
    'Wir schicken einen Link an Ihre Adresse, mit dem Sie ein neues wählen. Er gilt einmal und eine Stunde lang.',
  send: 'Link schicken',
  sending: 'Wird geschickt …',
  sentHeading: 'Sehen Sie in Ihre E-Mail',
  sent: 'Wenn es ein Konto mit dieser Adresse gibt, ist ein Link unterwegs. Ohne Mailserver bekommen Sie ihn vom Betreiber dieser Installation.',
  back: 'Zurück zur Anmeldung',
  codesLeft: (count) => `Verbleibende Wiederherstellungscodes: ${count}. Erzeugen Sie rechtzeitig neue.`,
  goOn: 'Weiter',
  registerHeading: 'Shop registrieren',
  storeName: 'Name Ihres Shops',
  register: 'Shop registrieren',
  registering: 'Wird registriert …',
  registered:
    'Öffnen Sie den Link in der E-Mail innerhalb von 24 Stunden, und geben Sie dort Ihr Passwort noch einmal ein. Danach können Sie sich anmelden.',
  waitsHeading: 'Ihre Registrierung wartet',
  waits:
    'Diese Installation verschickt keine E-Mails. Bitten Sie den Betreiber, Ihr Konto freizuschalten; danach können Sie sich anmelden.',
  closed: 'Hier kann sich niemand registrieren',
  closedHint:
    'Der Betreiber dieser Installation hat es abgeschaltet. Der Inhaber eines Shops kann Sie einladen.',
  invite: 'Code Ihrer Einladung',
  inviteHint: 'Der Betreiber dieser Installation hat ihn Ihnen geschickt.',
  inviteWrong:
    'Hier registriert man sich mit einer Einladung. Geben Sie den Code ein, der an diese Adresse ging.',
  badEmail: 'Das ist keine E-Mail-Adresse.',
  badStore: 'Ein Name ist eine Zeile mit 1 bis 100 Zeichen.',
  newHere: 'Shop registrieren',
}
